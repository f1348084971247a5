// Times Pinocchio's algorithms on the mechanism described by a file: best CPU time of several
// rounds, in ns.  Of long mechanisms only the inverse and forward dynamics.
#include "pinocchio_model.hpp"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <cstdlib>

using namespace pinocchio;

int main(int argc, char **argv) {
  if (argc < 3) { std::cerr << "usage: pinocchio_speed model.txt rounds\n"; return 2; }
  Model model;
  if (!read_model(argv[1], model)) return 2;
  const int rounds = std::atoi(argv[2]), n = model.nv, many = n > 60 ? 16 : 512;
  Data data(model);
  const States s(model, many);
  const int calls = std::max(20, 20000 / n);
  double sink = 0;
  const auto show = [](const char *name, double ns) { std::cout << name << " " << ns << "\n"; };
  show("inverse_dynamics", best(rounds, calls, [&](int k) {
    k %= many; rnea(model, data, s.q[k], s.v[k], s.a[k]); sink += data.tau[0]; }));
  show("forward_dynamics", std::min(
    best(rounds, calls, [&](int k) {
      k %= many; aba(model, data, s.q[k], s.v[k], s.a[k], Convention::WORLD); sink += data.ddq[0]; }),
    best(rounds, calls, [&](int k) {
      k %= many; aba(model, data, s.q[k], s.v[k], s.a[k], Convention::LOCAL); sink += data.ddq[0]; })));
  if (n <= 60) {
    std::vector<Eigen::MatrixXd> stored(many, Eigen::MatrixXd::Zero(n, n));
    Eigen::MatrixXd dq = Eigen::MatrixXd::Zero(n, n), dv = dq, da = dq;
    show("mass_matrix", best(rounds, calls, [&](int k) {
      k %= many; crba(model, data, s.q[k], Convention::WORLD); sink += data.M(0, 0); }));
    show("mass_matrix_stored", best(rounds, calls, [&](int k) {
      k %= many; crba(model, data, s.q[k], Convention::WORLD);
      stored[k].triangularView<Eigen::Upper>() = data.M.triangularView<Eigen::Upper>();
      stored[k].triangularView<Eigen::StrictlyLower>() =
          data.M.transpose().triangularView<Eigen::StrictlyLower>(); }));
    show("inverse_dynamics_derivatives", best(rounds, calls, [&](int k) {
      k %= many; computeRNEADerivatives(model, data, s.q[k], s.v[k], s.a[k], dq, dv, da);
      sink += dq(0, 0); }));
    show("forward_dynamics_derivatives", best(rounds, calls, [&](int k) {
      k %= many; computeABADerivatives(model, data, s.q[k], s.v[k], s.a[k], dq, dv, da);
      sink += dq(0, 0); }));
  }
  std::cerr << "sink " << sink << "\n";
}
