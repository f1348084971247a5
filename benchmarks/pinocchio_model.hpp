// A mechanism described by a file, random states of it, and the best CPU time of several rounds.
// File: number of joints, then for each joint: parent, kind (see `joint`), rotation (9),
// position (3), mass, center (3), inertia at the center (9).
#pragma once
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>

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

inline pinocchio::JointModel joint(int kind) {
  using namespace pinocchio;
  using Eigen::Vector3d;
  switch (kind) {
    case 0: return JointModelRZ();
    case 1: return JointModelPZ();
    case 2: return JointModelFreeFlyer();
    case 3: return JointModelSpherical();
    case 4: return JointModelUniversal(Vector3d::UnitX(), Vector3d::UnitY());
    default: {  // turn about z and slide along it
      JointModelComposite both;
      both.addJoint(JointModelRZ());
      both.addJoint(JointModelPZ());
      return both;
    }
  }
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
    id[i] = model.addJoint(up, joint(kind), SE3(R, p), name);
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
      pinocchio::normalize(model, q[k]);
      v[k] = Eigen::VectorXd::Random(model.nv);
      a[k] = Eigen::VectorXd::Random(model.nv);
    }
  }
};
