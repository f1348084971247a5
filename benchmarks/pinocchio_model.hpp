// A mechanism described by a file, random states of it, and the best CPU time of several rounds.
// File: number of joints, then for each joint: parent, kind (0 revolute, 1 prismatic, about or
// along z), rotation (9), position (3), mass, centre (3), inertia at the centre (9).
#pragma once
#include <pinocchio/multibody.hpp>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

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

inline bool read_model(const char *path, pinocchio::Model &model) {
  using namespace pinocchio;
  std::ifstream file(path);
  int n = 0;
  file >> n;
  std::vector<JointIndex> id(n);
  for (int i = 0; i < n; i++) {
    int parent, kind;
    double m;
    Eigen::Matrix3d R, I;
    Eigen::Vector3d p, c;
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
  model.gravity.linear(Eigen::Vector3d(0, 0, -9.81));
  if (!file) std::cerr << "cannot read " << path << "\n";
  return bool(file);
}

struct States {
  std::vector<Eigen::VectorXd> q, v, a;

  States(const pinocchio::Model &model, int many) : q(many), v(many), a(many) {
    for (int k = 0; k < many; k++) {
      q[k] = Eigen::VectorXd::Random(model.nq) * 3;
      v[k] = Eigen::VectorXd::Random(model.nv);
      a[k] = Eigen::VectorXd::Random(model.nv);
    }
  }
};
