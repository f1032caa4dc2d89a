// A serial chain read from a text file into a Pinocchio model.
//
// One line per body, from the base outwards:
//     kind axis coordinate  ox oy oz  mass  cx cy cz  ixx iyy izz
// kind        "revolute" or "prismatic"
// axis        "x", "y" or "z", in the body's frame (and in the parent's: frames are parallel at zero)
// coordinate  index of the joint's coordinate in the rows of the state file
// o           origin of the body's frame in the parent's frame, metres
// mass, c     kilograms; mass centre in the body's frame, metres
// i           central principal moments of inertia along the frame's axes, kg m^2
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

struct Chain
{
  pinocchio::Model model;
  std::vector<std::size_t> coordinate; // coordinate[j]: column of the state rows that joint j reads
};

// The joint types specialised for one coordinate axis are the fastest Pinocchio has.
inline pinocchio::JointModel joint_of(const std::string & kind, const std::string & axis)
{
  if (kind == "revolute")
  {
    if (axis == "x") return pinocchio::JointModelRX();
    if (axis == "y") return pinocchio::JointModelRY();
    if (axis == "z") return pinocchio::JointModelRZ();
  }
  if (kind == "prismatic")
  {
    if (axis == "x") return pinocchio::JointModelPX();
    if (axis == "y") return pinocchio::JointModelPY();
    if (axis == "z") return pinocchio::JointModelPZ();
  }
  throw std::runtime_error("unknown joint: " + kind + " about " + axis);
}

// Gravity is the acceleration of free fall in the base frame, m/s^2.
inline Chain read_chain(const std::string & path, const Eigen::Vector3d & gravity)
{
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open the chain file " + path);
  Chain chain;
  chain.model.gravity.linear(gravity);
  pinocchio::JointIndex parent = 0;
  for (std::string line; std::getline(file, line);)
  {
    std::istringstream fields(line);
    std::string kind, axis;
    std::size_t coordinate;
    Eigen::Vector3d offset, centre, moments;
    double mass;
    fields >> kind >> axis >> coordinate;
    fields >> offset.x() >> offset.y() >> offset.z() >> mass;
    fields >> centre.x() >> centre.y() >> centre.z();
    fields >> moments.x() >> moments.y() >> moments.z();
    if (!fields) throw std::runtime_error("bad line in the chain file: " + line);
    const pinocchio::SE3 placement(Eigen::Matrix3d::Identity(), offset);
    const std::string name = "joint" + std::to_string(chain.coordinate.size());
    parent = chain.model.addJoint(parent, joint_of(kind, axis), placement, name);
    const pinocchio::Inertia inertia(mass, centre, Eigen::Matrix3d(moments.asDiagonal()));
    chain.model.appendBodyToJoint(parent, inertia, pinocchio::SE3::Identity());
    chain.coordinate.push_back(coordinate);
  }
  return chain;
}
