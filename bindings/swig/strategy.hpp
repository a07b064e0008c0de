// strategy.hpp - strategies of other languages. See callbacks.hpp for ownership.
#ifndef CKPT_SWIG_STRATEGY_HPP
#define CKPT_SWIG_STRATEGY_HPP

#include <ckpt/ckpt.h>

#include <memory>

#include "callbacks.hpp"

namespace ckpt_swig {

class StrategyFunctions {
 public:
  virtual ~StrategyFunctions() = default;
#if defined(SWIGCSHARP)  // reads the question at its address
  virtual bool decide(const void* question) = 0;
#else
  virtual bool decide(const char* layer_name, int32_t dtype, Shape shape, int64_t bytes, int64_t layer_index) = 0;
#endif
  virtual void reset() = 0;
  virtual void access(const char* layer_name) = 0;
};

inline ckpt_status strategy_create_custom(const char* name, StrategyFunctions* functions, ckpt_strategy** strategy) {
  std::unique_ptr<StrategyFunctions> owned(functions);
  ckpt_strategy_callbacks table = CKPT_STRATEGY_CALLBACKS_INIT;
  table.decide = [](const ckpt_strategy_question* question, ckpt_bool* answer, void* user) {
    return guarded([&] {
      auto& asked = *static_cast<StrategyFunctions*>(user);
#if defined(SWIGCSHARP)
      *answer = asked.decide(question) ? 1 : 0;
#else
      const Shape shape{question->shape, question->ndim};
      *answer = asked.decide(question->layer_name, question->dtype, shape, question->bytes, question->layer_index) ? 1 : 0;
#endif
    });
  };
  table.reset = detail::Calls<&StrategyFunctions::reset>::run;
  table.access = detail::Calls<&StrategyFunctions::access>::run;
  return handed_over(owned, ckpt_strategy_create_custom(name, &table, functions, destroy<StrategyFunctions>, strategy));
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_STRATEGY_HPP
