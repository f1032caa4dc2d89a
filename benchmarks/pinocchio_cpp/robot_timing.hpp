// What the timing programs of Pinocchio's algorithms for a robot share, one algorithm a program, one core.
//
//     time_robot_<algorithm> MODEL STATES COUNT KERNEL REPEATS RESULTS
//
// MODEL    text file of the mechanism (robot_model.hpp)
// STATES   binary doubles, four blocks of COUNT rows of n: q, v, a, tau (n: joints of the model)
// KERNEL   what is computed; only time_robot_aba has a choice
// RESULTS  file that receives COUNT rows in the order of the state rows: n doubles, a matrix of n * n, or three of them,
//          row by row
// One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat.  It is the time
// of the thread, so that other programs on the core do not count.
//
// Each algorithm has a program of its own because compilers stop inlining in large translation units.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "robot_model.hpp"

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

// The states of a run, the model and its data, and where results go.
class Course
{
public:
  const RobotModel robot;
  const pinocchio::Model & model;
  pinocchio::Data data;
  const std::string kernel;
  Rows q, v, a, tau;

  explicit Course(char ** argument)
  : robot(read_robot(argument[1]))
  , model(robot.model)
  , data(model)
  , kernel(argument[4])
  , count(std::strtoull(argument[3], nullptr, 10))
  , repeats(std::strtoull(argument[5], nullptr, 10))
  , results(argument[6], robot.coordinate)
  {
    std::ifstream file(argument[2], std::ios::binary);
    if (!file) throw std::runtime_error("cannot open the state file");
    for (Rows * rows : {&q, &v, &a, &tau})
      *rows = read_block(file, count, robot.coordinate);
  }

  // `call` computes state i and returns a number of its result; `write` writes the result.  Both are template parameters so
  // that the call is inlined into the loop, as in a user's own program.
  template<typename Call, typename Write>
  void time(Call call, Write write)
  {
    double sink = 0.0;
    for (std::size_t repeat = 0; repeat <= repeats; ++repeat) // the first one warms up
    {
      const double start = now();
      for (std::size_t i = 0; i < count; ++i)
        sink += call(i);
      const double elapsed = now() - start;
      if (repeat > 0) std::printf("%.6g\n", elapsed / double(count));
    }
    volatile double kept = sink; // the results must be computed
    (void)kept;
    for (std::size_t i = 0; i < count; ++i)
    {
      call(i);
      write(results);
    }
    results.finish();
  }

private:
  static double now()
  {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
  }

  std::size_t count, repeats;
  Results results;
};

template<typename Run>
int timed(int argc, char ** argv, Run run)
{
  if (argc != 7)
  {
    std::fprintf(stderr, "usage: %s MODEL STATES COUNT KERNEL REPEATS RESULTS\n", argv[0]);
    return 2;
  }
  try
  {
    Course course(argv);
    run(course);
    return EXIT_SUCCESS;
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
