// Nanoseconds per call of Pinocchio's algorithms for a tree of joints of one degree of freedom, one core.
//
//     time_robot MODEL STATES COUNT KERNEL REPEATS RESULTS
//
// MODEL    text file of the mechanism (robot_model.hpp)
// STATES   binary doubles, four blocks of COUNT rows of n: q, v, a, tau (n: joints of the model)
// KERNEL   inverse_dynamics (rnea), mass_matrix (crba), forward_dynamics (aba, local convention),
//          forward_dynamics_world (aba, world convention), inverse_dynamics_derivatives (computeRNEADerivatives) or
//          forward_dynamics_derivatives (computeABADerivatives)
// RESULTS  file that receives COUNT rows in the order of the state rows: n doubles, a matrix of n * n, or three of them,
//          row by row
// One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "robot_model.hpp"

namespace
{
using Vector = Eigen::VectorXd;
using Rows = std::vector<Vector>;
using Order = std::vector<std::size_t>;

// One block of the state file, its columns put in the order of the model.
Rows read_block(std::ifstream & file, std::size_t count, const Order & coordinate)
{
  Rows rows;
  Vector row(coordinate.size());
  for (std::size_t i = 0; i < count; ++i)
  {
    file.read(reinterpret_cast<char *>(row.data()), std::streamsize(row.size() * sizeof(double)));
    if (!file) throw std::runtime_error("the state file is too short");
    Vector ordered(row.size());
    for (std::size_t j = 0; j < coordinate.size(); ++j)
      ordered[Eigen::Index(j)] = row[Eigen::Index(coordinate[j])];
    rows.push_back(ordered);
  }
  return rows;
}

// Writes results of the model's order in the order of the state rows.
class Results
{
public:
  Results(const char * path, const Order & coordinate)
  : file(path, std::ios::binary)
  , coordinate(coordinate)
  {
  }

  void vector(const Vector & ordered)
  {
    Vector row(ordered.size());
    for (Eigen::Index j = 0; j < row.size(); ++j)
      row[at(j)] = ordered[j];
    put(row.data(), row.size());
  }

  template<typename Matrix>
  void matrix(const Matrix & ordered)
  {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(ordered.rows(), ordered.cols());
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      for (Eigen::Index j = 0; j < rows.cols(); ++j)
        rows(at(i), at(j)) = ordered(i, j);
    put(rows.data(), rows.size());
  }

  // Pinocchio computes one triangle of symmetric matrices.
  template<typename Matrix>
  void symmetric(const Matrix & upper)
  {
    matrix(Eigen::MatrixXd(upper.template selfadjointView<Eigen::Upper>()));
  }

  void finish()
  {
    file.flush();
    if (!file) throw std::runtime_error("cannot write the results");
  }

private:
  Eigen::Index at(Eigen::Index j) const
  {
    return Eigen::Index(coordinate[std::size_t(j)]);
  }

  void put(const double * values, Eigen::Index count)
  {
    file.write(reinterpret_cast<const char *>(values), std::streamsize(std::size_t(count) * sizeof(double)));
  }

  std::ofstream file;
  const Order & coordinate;
};

// `call` computes state i and returns a number of its result; `write` writes the result.  Both are template parameters so
// that the call is inlined into the loop, as in a user's own program.
template<typename Call, typename Write>
void time_calls(std::size_t repeats, std::size_t count, Call call, Write write)
{
  double sink = 0.0;
  for (std::size_t repeat = 0; repeat <= repeats; ++repeat) // the first one warms up
  {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i)
      sink += call(i);
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    if (repeat > 0) std::printf("%.6g\n", elapsed.count() / double(count));
  }
  volatile double kept = sink; // the results must be computed
  (void)kept;
  for (std::size_t i = 0; i < count; ++i)
  {
    call(i);
    write();
  }
}

int run(char ** argument)
{
  const RobotModel robot = read_robot(argument[1]);
  const std::size_t count = std::strtoull(argument[3], nullptr, 10);
  const std::string kernel = argument[4];
  const std::size_t repeats = std::strtoull(argument[5], nullptr, 10);
  std::ifstream file(argument[2], std::ios::binary);
  if (!file) throw std::runtime_error("cannot open the state file");
  const Rows q = read_block(file, count, robot.coordinate);
  const Rows v = read_block(file, count, robot.coordinate);
  const Rows a = read_block(file, count, robot.coordinate);
  const Rows tau = read_block(file, count, robot.coordinate);

  const pinocchio::Model & model = robot.model;
  pinocchio::Data data(model);
  Results results(argument[6], robot.coordinate);
  if (kernel == "inverse_dynamics")
    time_calls(
      repeats, count, [&](std::size_t i) { return pinocchio::rnea(model, data, q[i], v[i], a[i])[0]; },
      [&] { results.vector(data.tau); });
  else if (kernel == "mass_matrix")
    time_calls(
      repeats, count, [&](std::size_t i) { return pinocchio::crba(model, data, q[i])(0, 0); },
      [&] { results.symmetric(data.M); });
  else if (kernel == "forward_dynamics")
    time_calls(
      repeats, count,
      [&](std::size_t i) {
        return pinocchio::aba(model, data, q[i], v[i], tau[i], pinocchio::Convention::LOCAL)[0];
      },
      [&] { results.vector(data.ddq); });
  else if (kernel == "forward_dynamics_world")
    time_calls(
      repeats, count,
      [&](std::size_t i) {
        return pinocchio::aba(model, data, q[i], v[i], tau[i], pinocchio::Convention::WORLD)[0];
      },
      [&] { results.vector(data.ddq); });
  else if (kernel == "inverse_dynamics_derivatives")
    time_calls(
      repeats, count,
      [&](std::size_t i) {
        pinocchio::computeRNEADerivatives(model, data, q[i], v[i], a[i]);
        return data.dtau_dq(0, 0);
      },
      [&] {
        results.matrix(data.dtau_dq);
        results.matrix(data.dtau_dv);
        results.symmetric(data.M);
      });
  else if (kernel == "forward_dynamics_derivatives")
    time_calls(
      repeats, count,
      [&](std::size_t i) {
        pinocchio::computeABADerivatives(model, data, q[i], v[i], tau[i]);
        return data.ddq_dq(0, 0);
      },
      [&] {
        results.matrix(data.ddq_dq);
        results.matrix(data.ddq_dv);
        results.symmetric(data.Minv);
      });
  else
    throw std::runtime_error("unknown kernel " + kernel);
  results.finish();
  return EXIT_SUCCESS;
}
} // namespace

int main(int argc, char ** argv)
{
  if (argc != 7)
  {
    std::fprintf(stderr, "usage: %s MODEL STATES COUNT KERNEL REPEATS RESULTS\n", argv[0]);
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
