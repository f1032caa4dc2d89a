// A tree of joints of one degree of freedom, read from a text file into a Pinocchio model.
//
// First line: gravity in the base frame, m/s^2.  Then one line per joint, every parent before its children:
//     parent kind  ax ay az  coordinate  r11 r12 ... r33  px py pz  mass  cx cy cz  i11 i12 ... i33
// parent      number of the joint before it, 1 for the first line; 0 for the base
// kind        "revolute" or "prismatic"
// a           the joint's axis, a unit vector in the joint's frame
// coordinate  index of the joint's coordinate in the rows of the state file
// r, p        rotation and origin of the joint's frame in its parent's at zero, metres
// mass, c, i  of all that the joint carries up to the next joints: kilograms; mass centre in the joint's frame, metres;
//             central inertia tensor in the axes of the joint's frame, kg m^2
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

struct RobotModel
{
  pinocchio::Model model;
  std::vector<std::size_t> coordinate; // coordinate[j]: column of the state rows that joint j reads
};

// The joint types specialised for one coordinate axis are the fastest Pinocchio has; its own reader of URDF takes them, too.
inline pinocchio::JointModel joint_about(const std::string & kind, const Eigen::Vector3d & axis)
{
  if (kind == "revolute")
  {
    if (axis == Eigen::Vector3d::UnitX()) return pinocchio::JointModelRX();
    if (axis == Eigen::Vector3d::UnitY()) return pinocchio::JointModelRY();
    if (axis == Eigen::Vector3d::UnitZ()) return pinocchio::JointModelRZ();
    return pinocchio::JointModelRevoluteUnaligned(axis);
  }
  if (kind == "prismatic")
  {
    if (axis == Eigen::Vector3d::UnitX()) return pinocchio::JointModelPX();
    if (axis == Eigen::Vector3d::UnitY()) return pinocchio::JointModelPY();
    if (axis == Eigen::Vector3d::UnitZ()) return pinocchio::JointModelPZ();
    return pinocchio::JointModelPrismaticUnaligned(axis);
  }
  throw std::runtime_error("unknown joint: " + kind);
}

inline Eigen::Vector3d read_vector(std::istream & fields)
{
  Eigen::Vector3d vector;
  fields >> vector.x() >> vector.y() >> vector.z();
  return vector;
}

inline Eigen::Matrix3d read_matrix(std::istream & fields)
{
  Eigen::Matrix3d matrix;
  for (Eigen::Index i = 0; i < 3; ++i)
    matrix.row(i) = read_vector(fields).transpose();
  return matrix;
}

inline RobotModel read_robot(const std::string & path)
{
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open the model file " + path);
  RobotModel robot;
  std::string line;
  std::getline(file, line);
  std::istringstream first(line);
  robot.model.gravity.linear(read_vector(first));
  if (!first) throw std::runtime_error("bad gravity in the model file: " + line);
  while (std::getline(file, line))
  {
    std::istringstream fields(line);
    std::string kind;
    std::size_t parent, coordinate;
    double mass;
    fields >> parent >> kind;
    const Eigen::Vector3d axis = read_vector(fields);
    fields >> coordinate;
    const Eigen::Matrix3d rotation = read_matrix(fields);
    const Eigen::Vector3d position = read_vector(fields);
    fields >> mass;
    const Eigen::Vector3d centre = read_vector(fields);
    const Eigen::Matrix3d inertia = read_matrix(fields);
    if (!fields) throw std::runtime_error("bad line in the model file: " + line);
    const std::string name = "joint" + std::to_string(robot.coordinate.size());
    const auto joint =
      robot.model.addJoint(parent, joint_about(kind, axis), pinocchio::SE3(rotation, position), name);
    robot.model.appendBodyToJoint(joint, pinocchio::Inertia(mass, centre, inertia), pinocchio::SE3::Identity());
    robot.coordinate.push_back(coordinate);
  }
  return robot;
}
