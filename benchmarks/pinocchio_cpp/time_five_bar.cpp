// Nanoseconds per call of Pinocchio's constrained dynamics of the five-bar linkage, one core.
//
//     time_five_bar STATES COUNT REPEATS RESULTS
//
// STATES   binary doubles, three blocks of COUNT rows of 4: q, dq/dt, forces on the joints (q1, q2, q3, q4)
// RESULTS  file that receives COUNT rows of 4 doubles: d2q/dt2
// One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat.
//
// Ground 0.6 m, four uniform rods of 0.5 m and 1 kg/m in a vertical plane, angles of the outer rods relative to the
// inner ones; the loop is closed by one CONTACT_3D constraint between the tips.
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/proximal.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace
{
constexpr int COORDINATES = 4;
using Row = Eigen::VectorXd;
using Rows = std::vector<Row>;

pinocchio::SE3 along_x(double distance)
{
  return pinocchio::SE3(Eigen::Matrix3d::Identity(), Eigen::Vector3d(distance, 0.0, 0.0));
}

struct FiveBar
{
  pinocchio::Model model;
  std::vector<pinocchio::RigidConstraintModel> constraints;

  FiveBar()
  {
    const double ground = 0.6, length = 0.5, mass = length, moment = mass * length * length / 12.0;
    const pinocchio::Inertia rod(
      mass, Eigen::Vector3d(length / 2.0, 0.0, 0.0), Eigen::Vector3d(0.0, moment, moment).asDiagonal().toDenseMatrix());
    model.gravity.linear(Eigen::Vector3d(0.0, -9.81, 0.0));
    std::vector<pinocchio::JointIndex> outer;
    for (const double root : {0.0, ground})
    {
      const std::string side = root == 0.0 ? "left" : "right";
      const auto inner = model.addJoint(0, pinocchio::JointModelRZ(), along_x(root), side + " inner");
      model.appendBodyToJoint(inner, rod, pinocchio::SE3::Identity());
      outer.push_back(model.addJoint(inner, pinocchio::JointModelRZ(), along_x(length), side + " outer"));
      model.appendBodyToJoint(outer.back(), rod, pinocchio::SE3::Identity());
    }
    constraints.emplace_back(
      pinocchio::CONTACT_3D, model, outer[0], along_x(length), outer[1], along_x(length), pinocchio::LOCAL);
  }
};

Rows read_block(std::ifstream & file, std::size_t count)
{
  Rows rows(count, Row(COORDINATES));
  for (Row & row : rows)
    file.read(reinterpret_cast<char *>(row.data()), COORDINATES * sizeof(double));
  if (!file) throw std::runtime_error("the state file is too short");
  return rows;
}

int run(char ** argument)
{
  const std::size_t count = std::strtoull(argument[2], nullptr, 10);
  const std::size_t repeats = std::strtoull(argument[3], nullptr, 10);
  std::ifstream file(argument[1], std::ios::binary);
  if (!file || count == 0) throw std::runtime_error("cannot open the state file, or no states");
  const Rows q = read_block(file, count), v = read_block(file, count), tau = read_block(file, count);

  const FiveBar linkage;
  const pinocchio::Model & model = linkage.model;
  pinocchio::Data data(model);
  std::vector<pinocchio::RigidConstraintData> constraint_data;
  for (const auto & constraint : linkage.constraints)
    constraint_data.push_back(constraint.createData());
  pinocchio::initConstraintDynamics(model, data, linkage.constraints, constraint_data);
  pinocchio::ProximalSettings settings(1e-14, 1e-12, 30);
  const auto call = [&](std::size_t i) -> const Row & {
    return pinocchio::constraintDynamics(
      model, data, q[i], v[i], tau[i], linkage.constraints, constraint_data, settings);
  };

  double sink = 0.0;
  for (std::size_t repeat = 0; repeat <= repeats; ++repeat) // the first one warms up
  {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i)
      sink += call(i)[0];
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    if (repeat > 0) std::printf("%.6g\n", elapsed.count() / double(count));
  }
  volatile double kept = sink; // the results must be computed
  (void)kept;

  std::ofstream results(argument[4], std::ios::binary);
  for (std::size_t i = 0; i < count; ++i)
    results.write(reinterpret_cast<const char *>(call(i).data()), COORDINATES * sizeof(double));
  if (!results) throw std::runtime_error("cannot write the results");
  return EXIT_SUCCESS;
}
} // namespace

int main(int argc, char ** argv)
{
  if (argc != 5)
  {
    std::fprintf(stderr, "usage: %s STATES COUNT REPEATS RESULTS\n", argv[0]);
    return 2;
  }
  try
  {
    return run(argv);
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
