// C of Pinocchio's algorithms for a robot, written by CasADi: the algorithms run once over symbols.
//
//     casadi_code MODEL KERNEL
//
// MODEL    text file of the mechanism (robot_model.hpp)
// KERNEL   inverse_dynamics (rnea), forward_dynamics (aba) or mass_matrix (crba)
// The C goes to <KERNEL>.c in the current folder; arguments and results are in the order of the state rows.
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "robot_model.hpp"

namespace
{
using Symbol = ::casadi::SX;
using Model = pinocchio::ModelTpl<Symbol>;
using Symbols = Eigen::Matrix<Symbol, Eigen::Dynamic, 1>;

// Named symbols, and the same in the order of the model.
struct Argument
{
  Symbol named;
  Symbols ordered;

  Argument(const char * name, const std::vector<std::size_t> & coordinate)
  : named(Symbol::sym(name, casadi_int(coordinate.size())))
  , ordered(Eigen::Index(coordinate.size()))
  {
    for (std::size_t j = 0; j < coordinate.size(); ++j)
      ordered[Eigen::Index(j)] = named(casadi_int(coordinate[j]));
  }
};

int run(char ** argument)
{
  const RobotModel robot = read_robot(argument[1]);
  const std::string kernel = argument[2];
  const Model model = robot.model.cast<Symbol>();
  Model::Data data(model);
  const auto & coordinate = robot.coordinate;
  const std::size_t n = coordinate.size();
  const Argument q("q", coordinate), v("v", coordinate), third("third", coordinate);
  std::vector<Symbol> inputs{q.named, v.named, third.named};
  Symbol result(casadi_int(n), 1);
  if (kernel == "mass_matrix")
  {
    inputs = {q.named};
    pinocchio::crba(model, data, q.ordered);
    result = Symbol::zeros(casadi_int(n), casadi_int(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        result(casadi_int(coordinate[i]), casadi_int(coordinate[j])) =
          data.M(Eigen::Index(std::min(i, j)), Eigen::Index(std::max(i, j)));
    result = densify(result);
  }
  else
  {
    const Symbols ordered = kernel == "inverse_dynamics" ? pinocchio::rnea(model, data, q.ordered, v.ordered, third.ordered)
                                                         : pinocchio::aba(model, data, q.ordered, v.ordered, third.ordered);
    result = Symbol::zeros(casadi_int(n), 1);
    for (std::size_t j = 0; j < n; ++j)
      result(casadi_int(coordinate[j])) = ordered[Eigen::Index(j)];
    result = densify(result);
  }
  ::casadi::CodeGenerator code(kernel + ".c");
  code.add(::casadi::Function("casadi_" + kernel, inputs, {result}));
  code.generate();
  return EXIT_SUCCESS;
}
} // namespace

int main(int argc, char ** argv)
{
  if (argc != 3)
  {
    std::fprintf(stderr, "usage: %s MODEL KERNEL\n", argv[0]);
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
