// Times Pinocchio's algorithms on the mechanism described by a file: best CPU time of several rounds, in ns.
// File: number of joints, then for each joint: parent, kind (0 revolute, 1 prismatic, about or
// along z), rotation (9), position (3), mass, centre (3), inertia at the centre (9).
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <vector>

using namespace pinocchio;

template <class F> double best(int rounds, int calls, F f) {
  double least = 1e99;
  for (int r = 0; r < rounds; r++) {
    const std::clock_t start = std::clock();  // CPU time: other programs do not count
    for (int k = 0; k < calls; k++) f(k);
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    least = std::min(least, seconds / calls * 1e9);
  }
  return least;
}

int main(int argc, char **argv) {
  if (argc < 3) { std::cerr << "usage: pinocchio_speed model.txt rounds\n"; return 2; }
  std::ifstream file(argv[1]);
  const int rounds = std::atoi(argv[2]);
  int n; file >> n;
  Model model;
  std::vector<JointIndex> id(n);
  for (int i = 0; i < n; i++) {
    int parent, kind; double m; Eigen::Matrix3d R, I; Eigen::Vector3d p, c;
    file >> parent >> kind;
    for (int k = 0; k < 9; k++) file >> R(k / 3, k % 3);
    for (int k = 0; k < 3; k++) file >> p[k];
    file >> m;
    for (int k = 0; k < 3; k++) file >> c[k];
    for (int k = 0; k < 9; k++) file >> I(k / 3, k % 3);
    const JointIndex up = parent < 0 ? 0 : id[parent];
    const std::string name = "j" + std::to_string(i);
    id[i] = kind == 0 ? model.addJoint(up, JointModelRZ(), SE3(R, p), name)
                      : model.addJoint(up, JointModelPZ(), SE3(R, p), name);
    model.appendBodyToJoint(id[i], Inertia(m, c, I), SE3::Identity());
  }
  if (!file) { std::cerr << "cannot read " << argv[1] << "\n"; return 2; }
  model.gravity.linear(Eigen::Vector3d(0, 0, -9.81));
  Data data(model);
  const int many = 512;
  std::vector<Eigen::VectorXd> q(many), v(many), a(many);
  for (int k = 0; k < many; k++) {
    q[k] = Eigen::VectorXd::Random(model.nq) * 3;
    v[k] = Eigen::VectorXd::Random(model.nv);
    a[k] = Eigen::VectorXd::Random(model.nv);
  }
  std::vector<Eigen::MatrixXd> stored(many, Eigen::MatrixXd::Zero(n, n));
  Eigen::MatrixXd dq = Eigen::MatrixXd::Zero(n, n), dv = dq, da = dq;
  const int calls = std::max(20, 20000 / n);
  double sink = 0;
  const double times[] = {
      best(rounds, calls, [&](int k) {
        k %= many; rnea(model, data, q[k], v[k], a[k]); sink += data.tau[0]; }),
      best(rounds, calls, [&](int k) {
        k %= many; crba(model, data, q[k], Convention::WORLD); sink += data.M(0, 0); }),
      std::min(best(rounds, calls, [&](int k) {
        k %= many; aba(model, data, q[k], v[k], a[k], Convention::WORLD); sink += data.ddq[0]; }),
               best(rounds, calls, [&](int k) {
        k %= many; aba(model, data, q[k], v[k], a[k], Convention::LOCAL); sink += data.ddq[0]; })),
      best(rounds, calls, [&](int k) {
        k %= many; crba(model, data, q[k], Convention::WORLD);
        stored[k].triangularView<Eigen::Upper>() = data.M.triangularView<Eigen::Upper>();
        stored[k].triangularView<Eigen::StrictlyLower>() =
            data.M.transpose().triangularView<Eigen::StrictlyLower>(); }),
      best(rounds, calls, [&](int k) {
        k %= many; computeRNEADerivatives(model, data, q[k], v[k], a[k], dq, dv, da);
        sink += dq(0, 0); })};
  const char *names[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics",
                         "mass_matrix_stored", "inverse_dynamics_derivatives"};
  for (int k = 0; k < 5; k++) std::cout << names[k] << " " << times[k] << "\n";
  std::cerr << "sink " << sink << "\n";
}
