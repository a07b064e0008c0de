// Wrong arguments of one rank, through the C API. Every collective call immediately returns the status and message of that rank on
// all ranks, and the managers remain usable. If the rank has no coordinator to report through, the other ranks time out with a
// message that names it. The ranks are threads here.
#include <algorithm>

#include "c_ranks.h"

using namespace ckpt_tests;

namespace {

struct Answer {
  ckpt_status status = CKPT_OK;
  std::string text;
};

using RanksArguments = CRanks;

// One call; its arguments are wrong if is_wrong.
struct Case {
  const char* what;
  ckpt_status status;
  const char* text;
  std::function<ckpt_status(Rank& here, bool is_wrong)> call;
  // Each rank's arguments are valid, but they differ: the first rank that differs from rank 0 reports the error.
  bool is_unlike = false;
};

void expect_same(const std::array<Answer, ranks>& answers, const Case& wrong, int wrong_rank) {
  const std::string of_rank = "rank " + std::to_string(wrong.is_unlike ? std::max(1, wrong_rank) : wrong_rank) + ": ";
  for (int rank = 0; rank < ranks; ++rank) {
    const Answer& answer = answers[static_cast<std::size_t>(rank)];
    EXPECT_EQ(answer.status, wrong.status) << wrong.what << ", rank " << rank << ": " << answer.text;
    EXPECT_EQ(answer.text.find(of_rank), 0U) << wrong.what << ", rank " << rank << ": " << answer.text;
    EXPECT_NE(answer.text.find(wrong.text), std::string::npos) << wrong.what << ", rank " << rank << ": " << answer.text;
    EXPECT_EQ(answer.text, answers[0].text) << wrong.what;
  }
}

// If an argument error stayed on one rank, the other ranks would time out.
constexpr std::int64_t timeout_ns = 10 * second;

// ---- Creating managers ----

// Returns a case that changes the options of one rank.
Case of_options(const char* what, ckpt_status status, const char* text,
                const std::function<void(Rank& here, ckpt_checkpoint_manager_options& options)>& change) {
  return {what, status, text, [change](Rank& here, bool is_wrong) {
            ckpt_checkpoint_manager_options options = options_of(here, timeout_ns);
            if (is_wrong) change(here, options);
            return ckpt_checkpoint_manager_create(here.storage, &options, &here.manager);
          }};
}

// Options of a later version, with an additional nonzero field.
struct LaterOptions {
  ckpt_checkpoint_manager_options known = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  std::int64_t later = 1;
};

std::vector<Case> create_cases() {
  using Options = ckpt_checkpoint_manager_options;
  std::vector<Case> cases{
      {"storage", CKPT_E_INVALID_ARGUMENT, "storage is NULL",
       [](Rank& here, bool is_wrong) {
         const Options options = options_of(here, timeout_ns);
         return ckpt_checkpoint_manager_create(is_wrong ? nullptr : here.storage, &options, &here.manager);
       }},
      {"manager", CKPT_E_INVALID_ARGUMENT, "manager is NULL",
       [](Rank& here, bool is_wrong) {
         const Options options = options_of(here, timeout_ns);
         return ckpt_checkpoint_manager_create(here.storage, &options, is_wrong ? nullptr : &here.manager);
       }},
      {"unknown field", CKPT_E_UNSUPPORTED, "options.struct_size is",
       [](Rank& here, bool is_wrong) {
         LaterOptions options;
         options.known = options_of(here, timeout_ns);
         if (is_wrong) options.known.struct_size = sizeof options;
         return ckpt_checkpoint_manager_create(here.storage, &options.known, &here.manager);
       }},
      of_options("keep_last", CKPT_E_INVALID_ARGUMENT, "keep_last is -1", [](Rank&, Options& options) { options.keep_last = -1; }),
      of_options("keep_every", CKPT_E_INVALID_ARGUMENT, "keep_last is 0", [](Rank&, Options& options) { options.keep_every = 5; }),
      of_options("keep_rules", CKPT_E_INVALID_ARGUMENT, "keep_rules",
                 [](Rank&, Options& options) { options.keep_rules = "last:none"; }),
      of_options("best_metric", CKPT_E_INVALID_ARGUMENT, "options.best_metric is 7",
                 [](Rank&, Options& options) { options.best_metric = 7; }),
      of_options("timeout_ns", CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1",
                 [](Rank&, Options& options) { options.timeout_ns = -1; }),
      of_options("fault_handler", CKPT_E_INVALID_ARGUMENT, "options.fault_handler: expected a handle",
                 [](Rank& here, Options& options) { options.fault_handler = reinterpret_cast<ckpt_fault_handler*>(here.state); }),
  };
  return cases;
}

TEST_F(RanksArguments, OfAManager) {
  for (const Case& wrong : create_cases()) {
    for (int wrong_rank = 0; wrong_rank < ranks; ++wrong_rank) {
      std::array<Answer, ranks> answers;
      for_all_ranks([&](Rank& here) {
        Answer& answer = answers[static_cast<std::size_t>(here.rank)];
        answer.status = wrong.call(here, here.rank == wrong_rank);
        answer.text = ckpt_last_error();
        // The ranks still call the same collectives.
        open_all(here, timeout_ns);
      });
      expect_same(answers, wrong, wrong_rank);
    }
  }
}

TEST_F(RanksArguments, ReadOnlyOnOneRank) {
  for (int wrong_rank = 0; wrong_rank < ranks; ++wrong_rank) {
    std::array<Answer, ranks> answers;
    for_all_ranks([&](Rank& here) {
      ckpt_checkpoint_manager_options options = options_of(here, timeout_ns);
      options.read_only = here.rank == wrong_rank ? 1 : 0;
      Answer& answer = answers[static_cast<std::size_t>(here.rank)];
      answer.status = ckpt_checkpoint_manager_create(here.storage, &options, &here.manager);
      answer.text = ckpt_last_error();
      open_all(here, timeout_ns);
    });
    const std::string text = wrong_rank == 0 ? "read_only is 0 on rank 1 and 1 on rank 0"
                                             : "read_only is 1 on rank " + std::to_string(wrong_rank) + " and 0 on rank 0";
    for (const Answer& answer : answers) {
      EXPECT_EQ(answer.status, CKPT_E_INVALID_ARGUMENT) << answer.text;
      EXPECT_EQ(answer.text.find(text), 0U) << answer.text;
    }
  }
}

// ---- Saves and loads ----

// A call with options, starting from initial, that are changed on the wrong rank.
template <class Options, class Call>
Case with_options(const char* what, ckpt_status status, const char* text, const Options& initial,
                  const std::function<void(Options& options)>& change, const Call& call) {
  return {what, status, text, [=](Rank& here, bool is_wrong) {
            Options options = initial;
            if (is_wrong) change(options);
            return call(here, options);
          }};
}

Case of_save(const char* what, ckpt_status status, const char* text,
             const std::function<void(ckpt_save_options& options)>& change) {
  ckpt_save_options initial = CKPT_SAVE_OPTIONS_INIT;
  initial.step = 5;
  return with_options(what, status, text, initial, change, [](Rank& here, const ckpt_save_options& options) {
    return ckpt_checkpoint_manager_save(here.manager, here.state, &options, nullptr);
  });
}

Case of_load(const char* what, ckpt_status status, const char* text,
             const std::function<void(ckpt_load_options& options)>& change) {
  const ckpt_load_options initial = CKPT_LOAD_OPTIONS_INIT;
  return with_options(what, status, text, initial, change, [](Rank& here, const ckpt_load_options& options) {
    return ckpt_checkpoint_manager_load(here.manager, here.state, &options, nullptr);
  });
}

Case of_task(const char* what, ckpt_status status, const char* text,
             const std::function<void(ckpt_checkpoint_task_options& task)>& change) {
  const ckpt_checkpoint_task_options initial = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  return with_options(what, status, text, initial, change, [](Rank& here, const ckpt_checkpoint_task_options& task) {
    std::int64_t id = 0;
    return ckpt_async_manager_save(here.async, here.state, nullptr, &task, &id);
  });
}

std::vector<Case> save_cases() {
  using Options = ckpt_save_options;
  return {
      {"state", CKPT_E_INVALID_ARGUMENT, "state is NULL",
       [](Rank& here, bool is_wrong) {
         return ckpt_checkpoint_manager_save(here.manager, is_wrong ? nullptr : here.state, nullptr, nullptr);
       }},
      {"another handle", CKPT_E_INVALID_ARGUMENT, "state: expected a handle",
       [](Rank& here, bool is_wrong) {
         auto* const other = reinterpret_cast<ckpt_state*>(here.storage);
         return ckpt_checkpoint_manager_save(here.manager, is_wrong ? other : here.state, nullptr, nullptr);
       }},
      {"another tensor", CKPT_E_INVALID_ARGUMENT, "tensor",
       [](Rank& here, bool is_wrong) {
         return ckpt_checkpoint_manager_save(here.manager, is_wrong ? here.other_state : here.state, nullptr, nullptr);
       },
       true},
      {"result", CKPT_E_INVALID_ARGUMENT, "result.struct_size is 3",
       [](Rank& here, bool is_wrong) {
         ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
         if (is_wrong) result.struct_size = 3;
         return ckpt_checkpoint_manager_save(here.manager, here.state, nullptr, &result);
       }},
      of_save("struct_size", CKPT_E_INVALID_ARGUMENT, "options.struct_size is 7",
              [](Options& options) { options.struct_size = 7; }),
      of_save("step", CKPT_E_INVALID_ARGUMENT, "step is -1", [](Options& options) { options.step = -1; }),
      of_save("prefix", CKPT_E_INVALID_ARGUMENT, "prefix", [](Options& options) { options.prefix = "NO"; }),
      of_save("metadata", CKPT_E_INVALID_ARGUMENT, "metadata", [](Options& options) { options.metadata_json = "{"; }),
      of_save("environment", CKPT_E_INVALID_ARGUMENT, "environment", [](Options& options) { options.environment_json = "["; }),
  };
}

std::vector<Case> load_cases() {
  using Options = ckpt_load_options;
  return {
      {"state", CKPT_E_INVALID_ARGUMENT, "state is NULL",
       [](Rank& here, bool is_wrong) {
         return ckpt_checkpoint_manager_load(here.manager, is_wrong ? nullptr : here.state, nullptr, nullptr);
       }},
      {"result", CKPT_E_INVALID_ARGUMENT, "result.struct_size is 3",
       [](Rank& here, bool is_wrong) {
         ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
         if (is_wrong) result.struct_size = 3;
         return ckpt_checkpoint_manager_load(here.manager, here.state, nullptr, &result);
       }},
      of_load("struct_size", CKPT_E_INVALID_ARGUMENT, "options.struct_size is 7",
              [](Options& options) { options.struct_size = 7; }),
      of_load("verify", CKPT_E_INVALID_ARGUMENT, "options.verify is 9", [](Options& options) { options.verify = 9; }),
      of_load("convert", CKPT_E_INVALID_ARGUMENT, "options.convert is 9", [](Options& options) { options.convert = 9; }),
      of_load("step", CKPT_E_INVALID_ARGUMENT, "options.step is -1",
              [](Options& options) {
                options.has_step = 1;
                options.step = -1;
              }),
      of_load("name and step", CKPT_E_INVALID_ARGUMENT, "",
              [](Options& options) {
                options.has_step = 1;
                options.name = "step-1";
              }),
      of_load("blank name", CKPT_E_INVALID_ARGUMENT, "name", [](Options& options) { options.name = " "; }),
      of_load("environment", CKPT_E_INVALID_ARGUMENT, "environment", [](Options& options) { options.environment_json = "["; }),
  };
}

std::vector<Case> background_cases() {
  using Task = ckpt_checkpoint_task_options;
  return {
      {"state", CKPT_E_INVALID_ARGUMENT, "state is NULL",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         return ckpt_async_manager_save(here.async, is_wrong ? nullptr : here.state, nullptr, nullptr, &id);
       }},
      {"id", CKPT_E_INVALID_ARGUMENT, "id is NULL",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         return ckpt_async_manager_save(here.async, here.state, nullptr, nullptr, is_wrong ? nullptr : &id);
       }},
      {"step", CKPT_E_INVALID_ARGUMENT, "step is -1",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
         options.step = is_wrong ? -1 : 5;
         return ckpt_async_manager_save(here.async, here.state, &options, nullptr, &id);
       }},
      {"another step", CKPT_E_INVALID_ARGUMENT, "step",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
         options.step = is_wrong ? 6 : 5;
         return ckpt_async_manager_save(here.async, here.state, &options, nullptr, &id);
       },
       true},
      of_task("task.struct_size", CKPT_E_INVALID_ARGUMENT, "task.struct_size is 7", [](Task& task) { task.struct_size = 7; }),
      of_task("task.mode", CKPT_E_INVALID_ARGUMENT, "task.mode is 9", [](Task& task) { task.mode = 9; }),
      of_task("task.timeout_ns", CKPT_E_INVALID_ARGUMENT, "task.timeout_ns is -2", [](Task& task) { task.timeout_ns = -2; }),
      of_task("task.priority", CKPT_E_UNSUPPORTED, "task.priority is set", [](Task& task) { task.priority = 1; }),
      {"state to load", CKPT_E_INVALID_ARGUMENT, "state is NULL",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         return ckpt_async_manager_load(here.async, is_wrong ? nullptr : here.state, nullptr, nullptr, &id);
       }},
      {"verify", CKPT_E_INVALID_ARGUMENT, "options.verify is 9",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
         if (is_wrong) options.verify = 9;
         return ckpt_async_manager_load(here.async, here.state, &options, nullptr, &id);
       }},
      {"environment of a load", CKPT_E_INVALID_ARGUMENT, "environment",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
         options.environment_json = is_wrong ? "[" : "{}";
         return ckpt_async_manager_load(here.async, here.state, &options, nullptr, &id);
       }},
      {"mode of a load", CKPT_E_INVALID_ARGUMENT, "task.mode is 9",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
         if (is_wrong) task.mode = 9;
         return ckpt_async_manager_load(here.async, here.state, nullptr, &task, &id);
       }},
      {"controller", CKPT_E_INVALID_ARGUMENT, "controller is NULL",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         return ckpt_controller_save_async(is_wrong ? nullptr : here.controller, 1, here.async, here.state, nullptr, nullptr, &id);
       }},
      {"time", CKPT_E_INVALID_ARGUMENT, "is -1",
       [](Rank& here, bool is_wrong) {
         std::int64_t id = 0;
         return ckpt_controller_save_async(here.controller, is_wrong ? -1 : 1, here.async, here.state, nullptr, nullptr, &id);
       }},
  };
}

std::vector<Case> decision_cases() {
  return {
      {"controller", CKPT_E_INVALID_ARGUMENT, "controller is NULL",
       [](Rank& here, bool is_wrong) {
         ckpt_decision decision = CKPT_DECISION_INIT;
         return ckpt_controller_decide_all(is_wrong ? nullptr : here.controller, here.coordinator, 2, timeout_ns, &decision);
       }},
      {"timeout_ns", CKPT_E_INVALID_ARGUMENT, "timeout_ns is -1",
       [](Rank& here, bool is_wrong) {
         ckpt_decision decision = CKPT_DECISION_INIT;
         return ckpt_controller_decide_all(here.controller, here.coordinator, 2, is_wrong ? -1 : timeout_ns, &decision);
       }},
      {"decision", CKPT_E_INVALID_ARGUMENT, "decision is NULL",
       [](Rank& here, bool is_wrong) {
         ckpt_decision decision = CKPT_DECISION_INIT;
         return ckpt_controller_decide_all(here.controller, here.coordinator, 2, timeout_ns, is_wrong ? nullptr : &decision);
       }},
  };
}

void save_and_load_all(const Rank& here, std::int64_t step) {
  ASSERT_EQ(save_step(here, step), CKPT_OK) << ckpt_last_error();
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ASSERT_EQ(ckpt_checkpoint_manager_load(here.manager, here.state, nullptr, &loaded), CKPT_OK) << ckpt_last_error();
  EXPECT_EQ(loaded.step, step);
  std::int64_t id = 0;
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step + 1;
  ASSERT_EQ(ckpt_async_manager_save(here.async, here.state, &options, nullptr, &id), CKPT_OK) << ckpt_last_error();
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ASSERT_EQ(ckpt_async_manager_wait(here.async, id, -1, &result), CKPT_OK);
  EXPECT_EQ(result.status, CKPT_OK) << result.error;
}

class RanksArgumentsOfCalls : public RanksArguments {
 protected:
  void expect_all_fail_alike(const std::vector<Case>& cases) {
    std::vector<std::array<Answer, ranks>> answers(cases.size() * ranks);
    for_all_ranks([&](Rank& here) {
      open_all(here, timeout_ns);
      std::int64_t step = 10;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const int wrong_rank = static_cast<int>(i % ranks);
        Answer& answer = answers[i][static_cast<std::size_t>(here.rank)];
        answer.status = cases[i / ranks].call(here, here.rank == wrong_rank);
        answer.text = ckpt_last_error();
        save_and_load_all(here, step += 2);
      }
    });
    for (std::size_t i = 0; i < answers.size(); ++i) expect_same(answers[i], cases[i / ranks], static_cast<int>(i % ranks));
  }
};

TEST_F(RanksArgumentsOfCalls, OfASave) { expect_all_fail_alike(save_cases()); }
TEST_F(RanksArgumentsOfCalls, OfALoad) { expect_all_fail_alike(load_cases()); }
TEST_F(RanksArgumentsOfCalls, InTheBackground) { expect_all_fail_alike(background_cases()); }
TEST_F(RanksArgumentsOfCalls, OfADecision) { expect_all_fail_alike(decision_cases()); }

// ---- Messages ----

// The exchange of argument statuses adds no collective operations to a save: 5 in the foreground, 2 in the background.
TEST_F(RanksArguments, ASaveTakesNoAdditionalOperations) {
  std::int64_t foreground = 0;
  std::int64_t background = 0;
  for_all_ranks([&](Rank& here) {
    open_all(here, timeout_ns);
    ASSERT_EQ(ckpt_coordinator_barrier(here.coordinator, timeout_ns), CKPT_OK);
    const std::int64_t begin = hub_->operations();
    ASSERT_EQ(ckpt_coordinator_barrier(here.coordinator, timeout_ns), CKPT_OK);
    ASSERT_EQ(save_step(here, 2), CKPT_OK) << ckpt_last_error();
    ASSERT_EQ(ckpt_coordinator_barrier(here.coordinator, timeout_ns), CKPT_OK);
    const std::int64_t middle = hub_->operations();
    ASSERT_EQ(ckpt_coordinator_barrier(here.coordinator, timeout_ns), CKPT_OK);
    std::int64_t id = 0;
    ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
    options.step = 3;
    ASSERT_EQ(ckpt_async_manager_save(here.async, here.state, &options, nullptr, &id), CKPT_OK) << ckpt_last_error();
    ASSERT_EQ(ckpt_async_manager_wait(here.async, id, -1, nullptr), CKPT_OK);
    ASSERT_EQ(ckpt_coordinator_barrier(here.coordinator, timeout_ns), CKPT_OK);
    if (here.rank != 0) return;
    foreground = middle - begin - 2;  // barriers
    background = hub_->operations() - middle - 2;
  });
  EXPECT_LE(foreground, 5);
  EXPECT_LE(background, 2);
}

// ---- Errors of a rank that calls alone ----

// The given timeout applies even if other arguments are wrong.
TEST_F(RanksArguments, ARefusedRankWaitsForTheGivenTimeout) {
  using Options = ckpt_checkpoint_manager_options;
  constexpr std::int64_t soon = second / 4;
  const auto with = [](const std::function<void(Rank & here, Options & options)>& change) {
    return [change](Rank& here, bool) {
      Options options = options_of(here, soon);
      change(here, options);
      return ckpt_checkpoint_manager_create(here.storage, &options, &here.manager);
    };
  };
  const std::vector<Case> cases{
      {"best_metric", CKPT_E_INVALID_ARGUMENT, "options.best_metric is 7",
       with([](Rank&, Options& options) { options.best_metric = 7; })},
      {"fault_handler", CKPT_E_INVALID_ARGUMENT, "options.fault_handler: expected a handle",
       with([](Rank& here, Options& options) { options.fault_handler = reinterpret_cast<ckpt_fault_handler*>(here.state); })},
      {"storage", CKPT_E_INVALID_ARGUMENT, "storage is NULL",
       [](Rank& here, bool) {
         const Options options = options_of(here, soon);
         return ckpt_checkpoint_manager_create(nullptr, &options, &here.manager);
       }},
      {"unknown field", CKPT_E_UNSUPPORTED, "options.struct_size is",
       [](Rank& here, bool) {
         LaterOptions options;
         options.known = options_of(here, soon);
         options.known.struct_size = sizeof options;
         return ckpt_checkpoint_manager_create(here.storage, &options.known, &here.manager);
       }},
      {"decision", CKPT_E_TIMEOUT, "coordinator all_gather",
       [](Rank& here, bool) {
         EXPECT_EQ(ckpt_controller_create(nullptr, &here.controller), CKPT_OK);
         return ckpt_controller_decide_all(here.controller, here.coordinator, 2, soon, nullptr);
       }},
  };
  for (const Case& wrong : cases) {
    Answer answer;
    const auto begin = std::chrono::steady_clock::now();
    for_all_ranks([&](Rank& here) {
      if (here.rank != 1) return;
      answer.status = wrong.call(here, true);
      answer.text = ckpt_last_error();
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << wrong.what;
    EXPECT_EQ(answer.status, wrong.status) << wrong.what << ": " << answer.text;
    EXPECT_NE(answer.text.find(wrong.text), std::string::npos) << wrong.what << ": " << answer.text;
  }
}

// ---- Errors without a coordinator ----

TEST_F(RanksArguments, ARankWithoutACoordinatorIsNamed) {
  constexpr std::int64_t soon = 2 * second;
  const std::vector<Case> cases{
      {"struct_size", CKPT_E_INVALID_ARGUMENT, "options.struct_size is 5000",
       [](Rank& here, bool is_wrong) {
         ckpt_checkpoint_manager_options options = options_of(here, soon);
         if (is_wrong) options.struct_size = 5000;
         return ckpt_checkpoint_manager_create(here.storage, &options, &here.manager);
       }},
      {"save", CKPT_E_INVALID_ARGUMENT, "manager is NULL",
       [](Rank& here, bool is_wrong) {
         open(here, soon);
         return ckpt_checkpoint_manager_save(is_wrong ? nullptr : here.manager, here.state, nullptr, nullptr);
       }},
      {"load", CKPT_E_INVALID_ARGUMENT, "manager is NULL",
       [](Rank& here, bool is_wrong) {
         open(here, soon);
         return ckpt_checkpoint_manager_load(is_wrong ? nullptr : here.manager, here.state, nullptr, nullptr);
       }},
  };
  for (const Case& wrong : cases) {
    for (int wrong_rank = 0; wrong_rank < ranks; ++wrong_rank) {
      std::array<Answer, ranks> answers;
      for_all_ranks([&](Rank& here) {
        Answer& answer = answers[static_cast<std::size_t>(here.rank)];
        answer.status = wrong.call(here, here.rank == wrong_rank);
        answer.text = ckpt_last_error();
      });
      const std::string name = "rank " + std::to_string(wrong_rank) + " did not arrive within 2000000000 ns";
      for (int rank = 0; rank < ranks; ++rank) {
        const Answer& answer = answers[static_cast<std::size_t>(rank)];
        EXPECT_EQ(answer.status, rank == wrong_rank ? wrong.status : CKPT_E_TIMEOUT) << wrong.what << ": " << answer.text;
        EXPECT_EQ(answer.text.find(rank == wrong_rank ? wrong.text : name), 0U) << wrong.what << ": " << answer.text;
      }
      for_all_ranks([&](Rank& here) { open(here, timeout_ns); });  // removes the ranks' unfinished files
    }
  }
}

}  // namespace
