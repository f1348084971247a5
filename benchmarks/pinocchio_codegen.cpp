// Times the C that Pinocchio's code generation (CppADCodeGen) writes for the mechanism described by
// a file, compiled by gcc for this machine: best CPU time of several rounds, in ns.  Each line is
// written as soon as it is known: the one who waits may stop where gcc takes too long.
#include "pinocchio_model.hpp"

#include <pinocchio/codegen/cppadcg.hpp>
#include <pinocchio/codegen/cppadcg-algo.hpp>

#include <cstdlib>
#include <fstream>

using namespace pinocchio;

// The function alone: by default the text of its Jacobian is compiled too, on which gcc spends all its time.
template <class G> struct Alone : G {
  explicit Alone(const Model &model) : G(model) {
    this->build_jacobian = false;
    this->initLib();
    this->compileLib("/usr/bin/gcc", "@flags");  // takes one option only
    this->loadLib(false);
  }
};

int main(int argc, char **argv) {
  if (argc < 3) { std::cerr << "usage: pinocchio_codegen model.txt rounds\n"; return 2; }
  Model model;
  if (!read_model(argv[1], model)) return 2;
  std::ofstream("flags") << "-O3 -march=native\n";
  const int rounds = std::atoi(argv[2]), many = 512, calls = std::max(20, 20000 / model.nv);
  const States s(model, many);
  const auto show = [](const char *name, double ns) { std::cout << name << " " << ns << std::endl; };
  Alone<CodeGenRNEA<double>> rnea(model);
  show("inverse_dynamics", best(rounds, calls, [&](int k) {
    k %= many; rnea.evalFunction(s.q[k], s.v[k], s.a[k]); }));
  Alone<CodeGenCRBA<double>> crba(model);
  show("mass_matrix", best(rounds, calls, [&](int k) { crba.evalFunction(s.q[k % many]); }));
  Alone<CodeGenABA<double>> aba(model);
  show("forward_dynamics", best(rounds, calls, [&](int k) {
    k %= many; aba.evalFunction(s.q[k], s.v[k], s.a[k]); }));
  Alone<CodeGenRNEADerivatives<double>> d_rnea(model);
  show("inverse_dynamics_derivatives", best(rounds, calls, [&](int k) {
    k %= many; d_rnea.evalFunction(s.q[k], s.v[k], s.a[k]); }));
  Alone<CodeGenABADerivatives<double>> d_aba(model);
  show("forward_dynamics_derivatives", best(rounds, calls, [&](int k) {
    k %= many; d_aba.evalFunction(s.q[k], s.v[k], s.a[k]); }));
}
