// Times the C that Pinocchio's code generation (CppADCodeGen) writes for the mechanism described by
// a file, compiled by gcc for this machine: best CPU time of several rounds, in ns.
#include "pinocchio_model.hpp"

#include <pinocchio/codegen/cppadcg.hpp>
#include <pinocchio/codegen/cppadcg-algo.hpp>

#include <cstdlib>

using namespace pinocchio;

template <class G> void make(G &code) {
  code.initLib();
  code.compileLib("/usr/bin/gcc", "-O3");  // one option only
  code.loadLib(false);
}

int main(int argc, char **argv) {
  if (argc < 3) { std::cerr << "usage: pinocchio_codegen model.txt rounds\n"; return 2; }
  Model model;
  if (!read_model(argv[1], model)) return 2;
  const int rounds = std::atoi(argv[2]), many = 512, calls = std::max(20, 20000 / model.nv);
  const States s(model, many);
  const auto show = [](const char *name, double ns) { std::cout << name << " " << ns << "\n"; };
  CodeGenRNEA<double> rnea(model);
  make(rnea);
  show("inverse_dynamics", best(rounds, calls, [&](int k) {
    k %= many; rnea.evalFunction(s.q[k], s.v[k], s.a[k]); }));
  CodeGenCRBA<double> crba(model);
  make(crba);
  show("mass_matrix", best(rounds, calls, [&](int k) { crba.evalFunction(s.q[k % many]); }));
  CodeGenABA<double> aba(model);
  make(aba);
  show("forward_dynamics", best(rounds, calls, [&](int k) {
    k %= many; aba.evalFunction(s.q[k], s.v[k], s.a[k]); }));
}
