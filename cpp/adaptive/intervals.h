// The optimal work between two checkpoints, by closed formulas. All times are seconds; cost is the time that one checkpoint stops
// the work. For finite numbers above 0, however large or small, the result is a finite number of at least 0, computed in a
// bounded number of steps; a result beyond the range of double saturates.
#pragma once

namespace ckpt::adaptive {

// sqrt(2 C M). Source: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974.
double young_interval(double cost, double mtbf);

// For C < 2M: sqrt(2CM) (1 + sqrt(C/2M)/3 + (C/2M)/9) - C, else M. Source: J. T. Daly, "A higher order estimate of the optimum
// checkpoint interval for restart dumps", Future Generation Computer Systems 22(3), 2006, equation 37.
double daly_interval(double cost, double mtbf);

// The work W at which P(failure within another W) * W exceeds (1 - P) * cost, that is expm1(W/M) * W = cost: in a periodic
// schedule the next checkpoint is as far away as the last one. About sqrt(CM).
double expected_value_interval(double cost, double mtbf);

// The hazard rate of a Weibull distribution: failures per second at this age, clamped by bounded_rate.
double weibull_hazard(double shape, double scale, double age);

// Young's interval for the hazard rate at this age.
double weibull_interval(double cost, double shape, double scale, double age);

}  // namespace ckpt::adaptive
