// Nanoseconds per call of Pinocchio's recursive Newton-Euler and articulated-body algorithms, one core.
//
//     time_chain CHAIN GX GY GZ STATES COUNT KERNEL REPEATS RESULTS
//
// CHAIN    text file of the mechanism (chain_model.hpp); GX GY GZ: gravity in the base frame, m/s^2
// STATES   binary doubles, four blocks of COUNT rows of n: q, v, a, tau (n: joints of the chain)
// KERNEL   inverse_dynamics (rnea), forward_dynamics (aba, local convention) or
//          forward_dynamics_world (aba, world convention)
// RESULTS  file that receives COUNT rows of n doubles, in the order of the state rows
// One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

#include "chain_model.hpp"

namespace
{
using Rows = std::vector<Eigen::VectorXd>;

// One block of the state file, its columns put in the order of the chain.
Rows read_block(std::ifstream & file, std::size_t count, const std::vector<std::size_t> & coordinate)
{
  Rows rows;
  Eigen::VectorXd row(coordinate.size());
  for (std::size_t i = 0; i < count; ++i)
  {
    file.read(reinterpret_cast<char *>(row.data()), std::streamsize(row.size() * sizeof(double)));
    if (!file) throw std::runtime_error("the state file is too short");
    Eigen::VectorXd ordered(row.size());
    for (std::size_t j = 0; j < coordinate.size(); ++j)
      ordered[Eigen::Index(j)] = row[Eigen::Index(coordinate[j])];
    rows.push_back(ordered);
  }
  return rows;
}

void write_results(const char * path, const Rows & rows, const std::vector<std::size_t> & coordinate)
{
  std::ofstream file(path, std::ios::binary);
  Eigen::VectorXd row(coordinate.size());
  for (const Eigen::VectorXd & ordered : rows)
  {
    for (std::size_t j = 0; j < coordinate.size(); ++j)
      row[Eigen::Index(coordinate[j])] = ordered[Eigen::Index(j)];
    file.write(reinterpret_cast<const char *>(row.data()), std::streamsize(row.size() * sizeof(double)));
  }
  if (!file) throw std::runtime_error("cannot write the results");
}

// The call is a template parameter so that it is inlined into the loop, as in a user's own program.
template<typename Call>
void time_calls(std::size_t repeats, Rows & results, Call call)
{
  const std::size_t count = results.size();
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
  for (std::size_t i = 0; i < count; ++i)
    results[i] = call(i);
}

int run(char ** argument)
{
  const Eigen::Vector3d gravity(std::atof(argument[2]), std::atof(argument[3]), std::atof(argument[4]));
  const Chain chain = read_chain(argument[1], gravity);
  const std::size_t count = std::strtoull(argument[6], nullptr, 10);
  const std::string kernel = argument[7];
  const std::size_t repeats = std::strtoull(argument[8], nullptr, 10);
  std::ifstream file(argument[5], std::ios::binary);
  if (!file) throw std::runtime_error("cannot open the state file");
  const Rows q = read_block(file, count, chain.coordinate);
  const Rows v = read_block(file, count, chain.coordinate);
  const Rows a = read_block(file, count, chain.coordinate);
  const Rows tau = read_block(file, count, chain.coordinate);

  const pinocchio::Model & model = chain.model;
  pinocchio::Data data(model);
  Rows results(count);
  if (kernel == "inverse_dynamics")
    time_calls(repeats, results, [&](std::size_t i) -> const Eigen::VectorXd & {
      return pinocchio::rnea(model, data, q[i], v[i], a[i]);
    });
  else if (kernel == "forward_dynamics")
    time_calls(repeats, results, [&](std::size_t i) -> const Eigen::VectorXd & {
      return pinocchio::aba(model, data, q[i], v[i], tau[i], pinocchio::Convention::LOCAL);
    });
  else if (kernel == "forward_dynamics_world")
    time_calls(repeats, results, [&](std::size_t i) -> const Eigen::VectorXd & {
      return pinocchio::aba(model, data, q[i], v[i], tau[i], pinocchio::Convention::WORLD);
    });
  else
    throw std::runtime_error("unknown kernel " + kernel);
  write_results(argument[9], results, chain.coordinate);
  return EXIT_SUCCESS;
}
} // namespace

int main(int argc, char ** argv)
{
  if (argc != 10)
  {
    std::fprintf(stderr, "usage: %s CHAIN GX GY GZ STATES COUNT KERNEL REPEATS RESULTS\n", argv[0]);
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
