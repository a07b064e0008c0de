// Tree formats 1 and 2 in the core: every node written and read, refused strings and the reported position, names of tensors,
// groups of states and readers.
#include "state/tree.h"
#include "state/manager/group_tree.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <ctime>
#include <limits>

#include "expect_error.h"
#include "fixture.h"
#include "state/export.h"

namespace {

using namespace ckpt::state;
using namespace ckpt::tests;
namespace base = ckpt::base;
namespace tensor = ckpt::tensor;
using base::Status;

std::string whole(const std::string& nodes) { return R"({"format":"ckpt-tree","format_version":1,"nodes":[)" + nodes + "]}"; }
std::string whole_2(const std::string& nodes) { return R"({"format":"ckpt-tree","format_version":2,"nodes":[)" + nodes + "]}"; }
Tree parsed(const std::string& nodes) { return parse_tree(whole(nodes)); }

TreeNode node(TreeKind kind, std::string bytes = {}) {
  TreeNode created;
  created.kind = kind;
  created.bytes = std::move(bytes);
  return created;
}
TreeNode container(TreeKind kind, std::int64_t count, std::string name = {}) {
  TreeNode created = node(kind, std::move(name));
  created.integer = count;
  return created;
}
TreeNode integer(std::int64_t value) { return container(TreeKind::integer, value); }
TreeNode text(std::string bytes) { return node(TreeKind::text, std::move(bytes)); }
TreeNode of_tensor(std::shared_ptr<tensor::Tensor> tensor) {
  TreeNode created = node(TreeKind::tensor);
  created.tensor = std::move(tensor);
  return created;
}

std::shared_ptr<tensor::Tensor> floats(std::int64_t count, float value) {
  auto created = tensor::Tensor::create(tensor::Dtype::f32, {count});
  std::fill_n(created->data_as<float>(), count, value);
  return created;
}

TEST(StateTree, EveryNodeIsPreserved) {
  const char* const all[] = {"null",
                             "true",
                             "false",
                             "0",
                             "-1",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "1.0",
                             "-0.0",
                             "5e-324",
                             "1e+22",
                             "0.1",
                             R"("")",
                             R"("a\"\\\u0000\nß 漢 🙂")",
                             R"(["int","0x8000000000000000"])",
                             R"(["int","-0x1234567890abcdef01"])",
                             R"(["float","7ff0000000000000"])",
                             R"(["float","fff8000000000123"])",
                             R"(["complex","3ff0000000000000","8000000000000000"])",
                             R"(["surrogates","61eda080"])",
                             R"(["bytes",""])",
                             R"(["bytes","AA=="])",
                             R"(["bytes","AP8="])",
                             R"(["bytes","AP+/"])",
                             R"(["bytearray","AP+/eg=="])",
                             R"(["path","a/b"])",
                             R"(["path","/","posix"])",
                             R"(["path","C:\\x","windows"])",
                             R"(["path",["surrogates","edb3bf"]])",
                             R"(["list",0])",
                             R"(["list",2],1,["list",1],2)",
                             R"(["tuple",1],null)",
                             R"(["dict",0])",
                             R"(["ordered_dict",1],"a",["dict",1],"b",3)",
                             R"(["dict",7],null,0,true,1,2,2,0.5,3,"x",4,["bytes","eA=="],5,["tuple",2],"x",["tuple",0],6)",
                             R"(["named_tuple","module.Point",["x","y"]],1,["dataclass","a.B",[]])",
                             R"(["dataclass","a.B",["c","d"]],["named_tuple","P",["x"]],1,["list",1],2)",
                             R"(["tensor","w","array"])",
                             R"(["list",2],["tensor","w","scalar"],["tensor","w","torch"])",
                             R"(["tensor","w","tensor","complex128","big-endian"])"};
  for (const char* const nodes : all) {
    EXPECT_EQ(to_text(parsed(nodes)), whole(nodes));
    EXPECT_EQ(to_text(parse_tree(whole_2(nodes))), whole(nodes));  // format 2 only if needed
  }
  const char* const of_format_2[] = {R"(["attributes"],["ordered_dict",0],["dict",1],"_metadata",["ordered_dict",1],"",["dict",0])",
                                     R"(["list",2],["attributes"],["tensor","w","torch"],["dict",1],"requires_grad",true,7)",
                                     R"(["attributes"],["list",1],["attributes"],1,["dict",1],"x",2,["dict",1],"y",3)",
                                     R"(["tensor","w","parameter"])",
                                     R"(["attributes"],["dataclass","a.B",["c"]],1,["dict",2],"x",1,"y",["list",1],2)"};
  for (const char* const nodes : of_format_2) {
    EXPECT_EQ(to_text(parse_tree(whole_2(nodes))), whole_2(nodes));
    EXPECT_ERROR(parsed(nodes), Status::corrupt, "it requires format_version 2; the text has 1");
  }
}

TEST(StateTree, AttributesBelongToAValue) {
  const std::pair<const char*, const char*> bad[] = {
      {R"(["attributes"])", "ends after node 1"},
      {R"(["attributes"],1)", "ends after node 2"},
      {R"(["attributes",2],1,["dict",1],"a",2)", "node 0: it has 2 members"},
      {R"(["attributes"],1,2)", "node 2: attributes: expected a dict, found kind 'integer'"},
      {R"(["attributes"],1,["dict",0])", "node 2: attributes: expected at least one, found an empty dict"},
      {R"(["attributes"],1,["ordered_dict",1],"a",2)", "node 2: attributes: expected a dict, found kind 'ordered dict'"},
      {R"(["attributes"],1,["dict",1],3,2)", "node 3: the name of an attribute: expected a UTF-8 string, found kind 'integer'"},
      {R"(["attributes"],1,["dict",1],["surrogates","eda080"],2)",
       "node 3: the name of an attribute: expected a UTF-8 string, found kind 'text'"},
      {R"(["attributes"],1,["dict",2],"a",2,"a",3)", "node 5: the key 'a' is duplicated"},
      {R"(["attributes"],["attributes"],1,["dict",1],"a",2,["dict",1],"b",3)",
       "node 1: a value with attributes contains another one directly"},
      {R"(["dict",1],["attributes"],1,["dict",1],"a",2,3)", "node 1: a key is a value with attributes"},
  };
  for (const auto& [nodes, message] : bad) EXPECT_ERROR(parse_tree(whole_2(nodes)), Status::corrupt, message);
  Tree tree;
  EXPECT_ERROR(tree.add(container(TreeKind::attributes, 3)), Status::invalid_argument, "count is 3");
  tree.add(container(TreeKind::attributes, 2));
  tree.add(container(TreeKind::dict, 1));
  tree.add(text("w"));
  tree.add(of_tensor(floats(3, 1)));
  EXPECT_ERROR(tree.add(integer(1)), Status::invalid_argument, "attributes: expected a dict, found kind 'integer'");
  tree.add(container(TreeKind::dict, 1));
  tree.add(text("scale"));
  tree.add(of_tensor(floats(3, 2)));
  tree.require_complete();
  EXPECT_EQ(tree.at(3).bytes, "w");  // the same as without attributes
  EXPECT_EQ(tree.at(6).bytes, "attributes.scale");
  EXPECT_EQ(tree.find(0, "w"), 3);
  EXPECT_EQ(tree.at(0).end, 7U);
}

TEST(StateTree, EquivalentSpellingsAreTheSameValue) {
  EXPECT_EQ(to_text(parsed(R"(["list",4],["int","-0x001F"],["int","-0x0"],["float","3FF0000000000000"],1E2)")),
            whole(R"(["list",4],-31,0,1.0,100.0)"));
  EXPECT_EQ(to_text(parse_tree(R"( { "nodes" : [ "a" ], "later" : {"x":[[[]]]}, "format_version":1 , "format":"ckpt-tree" } )")),
            whole(R"("a")"));
}

// Searching for each key of a large dict takes linear time overall, also in a copy.
TEST(StateTree, KeysOfLargeDictsAreFoundInLinearTime) {
  constexpr std::int64_t pairs = 100000;
  const auto key = [](std::int64_t i) { return "key" + std::to_string(i); };
  Tree tree;
  tree.add(container(TreeKind::dict, pairs));
  for (std::int64_t i = 0; i < pairs; ++i) {
    tree.add(text(key(i)));
    tree.add(integer(i));
  }
  const Tree copy = tree;
  const std::clock_t begin = std::clock();
  for (std::int64_t i = 0; i < pairs; ++i) {
    EXPECT_EQ(tree.find(0, key(i)), 2 * i + 2);
    EXPECT_EQ(copy.find(0, key(i)), 2 * i + 2);
  }
  EXPECT_ERROR(tree.find(0, "other"), Status::not_found, "key 'other'");
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10);  // a quadratic search takes minutes
}

TEST(StateTree, NodesReportTheirContents) {
  const Tree tree = parsed(R"(["dict",2],"a",["dataclass","C",["x","y"]],1.5,["list",2],null,true,"b",["int","0x10"])");
  ASSERT_EQ(tree.nodes().size(), 11U);  // field names are nodes
  EXPECT_EQ(tree.at(0).end, 11U);
  EXPECT_EQ(tree.at(2).kind, TreeKind::dataclass);
  EXPECT_EQ(tree.at(2).end, 9U);
  EXPECT_EQ(tree.find(0, "a"), 2);
  EXPECT_EQ(tree.find(0, "b"), 10);
  EXPECT_EQ(tree.find(2, "y"), 6);
  EXPECT_EQ(tree.at(4).number, 1.5);
  EXPECT_EQ(tree.at(10).kind, TreeKind::integer);  // it fits 64 bits
  EXPECT_EQ(tree.at(10).integer, 16);
  EXPECT_ERROR(tree.find(0, "x"), Status::not_found, "key 'x'");
  EXPECT_ERROR(tree.find(4, "x"), Status::invalid_argument, "index 4 is of kind 'number'");
  EXPECT_ERROR(tree.at(11), Status::out_of_range, "11 nodes");
  EXPECT_ERROR(tree.at(-1), Status::out_of_range, "index is -1");
}

TEST(StateTree, HostileTextsAreCorruptWithTheirPosition) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "ends after node 0"},
      {R"(["list",1])", "more parts than nodes follow"},
      {R"(["dict",1],"a")", "more parts than nodes follow"},
      {R"(["list",2],["list",2],1,2)", "ends after node 4"},
      {"1,2", "node 1: the tree is complete: unexpected node"},
      {R"(["list",-1])", "node 0: its length is -1"},
      {R"(["list",1.0],1)", "its length is 1.0"},
      {R"(["list",18446744073709551615])", "more parts"},
      {R"(["list"])", "node 0: it has 1 members"},
      {R"(["list",0,0])", "it has 3 members"},
      {"[]", "node 0: it is empty"},
      {"{}", "node 0: it is an object"},
      {R"([1])", "member 0 is not a string"},
      {R"(["set",0])", "unknown node kind 'set'"},
      {R"(["dict",2],"a",1,"a",2)", "node 3: the key 'a' is duplicated"},
      {R"(["dict",2],1,1,1.0,2)", "node 3: the key '1.0' is duplicated"},
      {R"(["dict",2],true,1,1,2)", "is duplicated"},
      {R"(["dict",2],0,1,-0.0,2)", "is duplicated"},
      {R"(["dict",2],["int","0x10000000000000000"],1,18446744073709551616.0,2)", "is duplicated"},
      {R"(["dict",2],["tuple",1],1,0,["tuple",1],1.0,0)", "node 5: the key"},
      {R"(["dict",1],["list",0],1)", "node 1: a key is a list"},
      {R"(["dict",1],["tuple",1],["bytearray",""],1)", "node 2: a key is a bytearray"},
      {R"(["dict",1],["tensor","w","array"],1)", "a key is a tensor"},
      {R"(["dataclass","C",["x","x"]],1,2)", "the field 'x' is duplicated"},
      {R"(["dataclass","C",[1]],1)", "the name of a field is not a string"},
      {R"(["dataclass","C","x"],1)", "member 2 is not a list"},
      {R"(["dataclass",1,[]])", "member 1 is not a string"},
      {R"(["int","12"])", "'12': expected the form"},
      {R"(["int","0x"])", "expected the form"},
      {R"(["int","0x1_0"])", "expected the form"},
      {R"(["int",1])", "member 1 is not a string"},
      {"9223372036854775808", "does not fit in a signed 64-bit integer"},
      {"99999999999999999999", "does not fit in 64 bits"},
      {"1e999", "1e999 is too large"},
      {"NaN", "not JSON at byte"},
      {R"(["float","7ff"])", "16 hexadecimal digits"},
      {R"(["float","7ff000000000000g"])", "16 hexadecimal digits"},
      {R"(["complex","7ff0000000000000"])", "it has 2 members"},
      {R"(["surrogates","6"])", "is not hexadecimal"},
      {R"(["surrogates","ff"])", "is not UTF-8"},
      {R"(["surrogates","eda0"])", "is not UTF-8"},
      {R"(["bytes","AAA"])", "is not base64"},
      {R"(["bytes","A==="])", "is not base64"},
      {R"(["bytes","A=AA"])", "is not base64"},
      {R"(["bytes","AA A"])", "is not base64"},
      {R"(["path","a","vms"])", "'vms'"},
      {R"(["path",1])", "member 1 is not a string"},
      {R"(["path",["bytes",""]])", "member 1 is not a string"},
      {R"(["tensor","w"])", "it has 2 members"},
      {R"(["tensor","","array"])", "name is empty"},
      {R"(["tensor"," ","array"])", "blank"},
      {R"(["tensor","__tree__","array"])", "'__tree__'"},
      {R"(["tensor","w","matrix"])", "'matrix'"},
      {R"(["tensor","w","array","complex64"])", "'complex64'"},
      {R"(["tensor","w","array","big-endian","big-endian"])", "'big-endian'"},
  };
  for (const auto& [nodes, message] : bad) EXPECT_ERROR(parsed(nodes), Status::corrupt, message);
  EXPECT_ERROR(parse_tree(""), Status::corrupt, "the tree's text: not JSON");
  EXPECT_ERROR(parse_tree("[]"), Status::corrupt, "format");
  EXPECT_ERROR(parse_tree(R"({"format":"other","format_version":1,"nodes":[1]})"), Status::corrupt, "'ckpt-tree'");
  EXPECT_ERROR(parse_tree(R"({"format":"ckpt-tree","nodes":[1]})"), Status::corrupt, "format_version");
  EXPECT_ERROR(parse_tree(R"({"format":"ckpt-tree","format_version":1})"), Status::corrupt, "list of nodes");
  EXPECT_ERROR(parse_tree(R"({"format":"ckpt-tree","format_version":3,"nodes":[["new"]]})"), Status::unsupported,
               "format_version 3; expected 1 .. 2");
  EXPECT_ERROR(parse_tree(R"({"format":"ckpt-tree","format_version":0,"nodes":[1]})"), Status::unsupported, "format_version 0");
  EXPECT_ERROR(parse_tree(std::string("\0", 1)), Status::corrupt, "NUL");
}

TEST(StateTree, AtMostAThousandNestedContainers) {
  std::string nodes;
  for (int i = 0; i < 999; ++i) nodes += R"(["list",1],)";
  EXPECT_EQ(parsed(nodes + R"(["list",0])").nodes().size(), 1000U);
  EXPECT_ERROR(parsed(nodes + R"(["list",1],["list",0])"), Status::corrupt, "node 1000: the list is nested deeper than 1000");
  EXPECT_EQ(parsed(nodes + R"(["list",2],1,2)").nodes().size(), 1002U);
  // Breadth does not count as depth.
  std::string wide = R"(["list",3000])";
  for (int i = 0; i < 3000; ++i) wide += R"(,["list",0])";
  EXPECT_EQ(parsed(wide).nodes().size(), 3001U);
}

TEST(StateTree, FailedAdditionsChangeNothing) {
  Tree tree;
  EXPECT_ERROR(tree.require_complete(), Status::invalid_argument, "no nodes");
  EXPECT_ERROR(tree.add(text("\xFF")), Status::invalid_argument, "not UTF-8");
  EXPECT_ERROR(tree.add(node(TreeKind::big_integer, "1")), Status::invalid_argument, "expected the form -0x1f");
  EXPECT_ERROR(tree.add(container(TreeKind::list, -1)), Status::invalid_argument, "count is -1");
  EXPECT_ERROR(tree.add(container(TreeKind::dict, std::numeric_limits<std::int64_t>::max())), Status::invalid_argument,
               "count is 9");
  tree.add(container(TreeKind::dict, 2));
  EXPECT_ERROR(tree.add(container(TreeKind::dict, 0)), Status::invalid_argument, "a key is a dict");
  tree.add(container(TreeKind::tuple, 2));
  tree.add(integer(1));
  tree.add(text("x"));
  EXPECT_ERROR(tree.require_complete(), Status::invalid_argument, "lacks 3 nodes");
  tree.add(integer(7));
  tree.add(container(TreeKind::tuple, 2));
  tree.add(integer(1));
  EXPECT_ERROR(tree.add(text("x")), Status::invalid_argument, "is duplicated");
  tree.add(text("y"));
  tree.add(integer(8));
  EXPECT_EQ(to_text(tree), whole(R"(["dict",2],["tuple",2],1,"x",7,["tuple",2],1,"y",8)"));
  EXPECT_ERROR(tree.add(integer(1)), Status::invalid_argument, "the tree is complete");
  EXPECT_EQ(tree.nodes().size(), 9U);
}

TEST(StateTree, EqualNumbersAreOneKey) {
  const double numbers[] = {0,
                            1,
                            -1,
                            0.5,
                            2,
                            3,
                            16,
                            256,
                            1e15,
                            9007199254740993.0,
                            9223372036854775808.0,
                            1e300,
                            -1e300,
                            5e-324,
                            std::numeric_limits<double>::infinity()};
  Tree tree;
  tree.add(container(TreeKind::dict, 40));
  for (const double each : numbers) {
    TreeNode key = node(TreeKind::number);
    key.number = each;
    tree.add(key);
    tree.add(integer(0));
    EXPECT_ERROR(tree.add(key), Status::invalid_argument, "is duplicated");
  }
  for (int i = 0; i < 2; ++i) {  // NaN equals nothing
    TreeNode key = node(TreeKind::number);
    key.number = std::nan("");
    tree.add(key);
    tree.add(integer(0));
  }
  for (const char* const whole_number : {"0x0", "0x1", "-0x1", "0x100", "0x8000000000000000"})
    EXPECT_ERROR(tree.add(node(TreeKind::big_integer, whole_number)), Status::invalid_argument, "is duplicated");
  for (const char* const whole_number : {"0x8000000000000001", "-0x8000000000000000", "0x1000", "0x80000000000000000"}) {
    tree.add(node(TreeKind::big_integer, whole_number));
    tree.add(integer(0));
  }
}

TEST(StateTree, TensorsAreNamedByTheirKeysAndSharedMemoryIsStoredOnce) {
  const auto shared = floats(3, 1);
  Tree tree;
  tree.add(container(TreeKind::dict, 6));
  tree.add(text("layers"));
  tree.add(container(TreeKind::list, 2));
  tree.add(of_tensor(shared));
  tree.add(container(TreeKind::dict, 1));
  tree.add(integer(-7));
  tree.add(of_tensor(floats(3, 2)));
  tree.add(text("tied"));
  tree.add(of_tensor(shared));
  tree.add(text("layers.0"));
  tree.add(of_tensor(floats(1, 3)));
  tree.add(text("__tree__"));
  tree.add(of_tensor(floats(1, 4)));
  tree.add(text(std::string(300, 'k') + "ß"));
  tree.add(of_tensor(floats(1, 5)));
  tree.add(text(std::string("a\0\xED\xA0\x80", 5)));
  tree.add(of_tensor(floats(0, 0)));
  std::vector<std::string> names;
  for (const TreeNode& each : tree.nodes()) {
    if (each.kind == TreeKind::tensor) names.push_back(each.bytes);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"layers.0", "layers.1.-7", "layers.0", "layers.0~2", ".__tree__",
                                             std::string(100, 'k') + "..." + std::string(98, 'k') + "ß", "a????"}));
  Tree alone;
  alone.add(of_tensor(shared));
  EXPECT_EQ(alone.at(0).bytes, "tensor");
}

TEST(StateTree, AGroupIsATreeAndCanBeReplaced) {
  State state;
  state.add_tensor("model", "w", floats(2, 1));
  Tree tree;
  tree.add(container(TreeKind::list, 2));
  tree.add(of_tensor(floats(3, 2)));
  EXPECT_ERROR(set_tree(state, "extra", tree), Status::invalid_argument, "tree is not complete: the list at index 0 lacks 1");
  tree.add(text("x"));
  EXPECT_ERROR(set_tree(state, "model", tree), Status::already_exists, "group 'model' has tensors and is not a tree");
  EXPECT_ERROR(set_tree(state, " ", tree), Status::invalid_argument, "group");
  set_tree(state, "extra", tree);
  EXPECT_EQ(state.tensor_count(), 3);
  Tree back = tree_of(state, "extra");
  EXPECT_EQ(to_text(back), whole(R"(["list",2],["tensor","0","array"],"x")"));
  EXPECT_EQ(back.tensor(1), tree.tensor(1));
  EXPECT_ERROR(back.tensor(2), Status::invalid_argument, "index 2 is of kind 'text'");

  Tree other = parsed("7");
  set_tree(state, "extra", other);
  EXPECT_EQ(state.tensor_count(), 2);
  EXPECT_EQ(to_text(tree_of(state, "extra")), whole("7"));
  EXPECT_ERROR(tree_of(state, "model"), Status::not_found, "group 'model' is not a tree");
  EXPECT_ERROR(tree_of(state, "none"), Status::not_found, "group 'none' is not a tree");
  Tree without = parsed(R"(["tensor","w","array"])");
  EXPECT_ERROR(set_tree(state, "extra", without), Status::invalid_argument, "parsed from text: it does not contain the tensor 'w'");
  EXPECT_ERROR(without.tensor(0), Status::invalid_state, "parsed from text");
}

void add_text(State& state, const std::string& group, const std::string& text) {
  auto bytes = tensor::Tensor::create(tensor::Dtype::u8, {static_cast<std::int64_t>(text.size())});
  std::copy(text.begin(), text.end(), bytes->data_as<char>());
  state.add_tensor(group, "__tree__", std::move(bytes));
}

TEST(StateTree, AReaderReadsTensorsLazilyAndOnce) {
  const Scratch scratch;
  State state;
  Tree tree;
  const auto shared = floats(3, 2);
  tree.add(container(TreeKind::list, 2));
  tree.add(of_tensor(shared));
  tree.add(of_tensor(shared));
  set_tree(state, "extra", tree);
  write_safetensors(scratch / "extra", state, "extra", {});
  const auto reader = std::make_shared<Reader>(scratch / "extra");
  Tree back = tree_of(reader, "");
  EXPECT_EQ(back.at(1).tensor, nullptr);
  const auto first = back.tensor(1);
  EXPECT_EQ(first->data_as<float>()[2], 2.0F);
  EXPECT_EQ(back.tensor(2), first);
  EXPECT_ERROR(tree_of(reader, "other"), Status::not_found, "group 'other' is not a tree");

  // From one file into the next one.
  State next;
  set_tree(next, "copied", back);
  EXPECT_EQ(to_text(tree_of(next, "copied")), to_text(tree));
}

TEST(StateTree, AMismatchOfTextAndTensorsIsCorrupt) {
  const std::pair<const char*, const char*> bad[] = {
      {R"(["list",1],["tensor","none","array"])", "node 1 is tensor 'none'"},
      {R"(["tensor","w","scalar"])", "a scalar: expected no dimensions"},
      {R"(["tensor","w","array","complex128"])", "complex128: expected F64"},
  };
  const Scratch scratch;
  for (const auto& [nodes, message] : bad) {
    State state;
    state.add_tensor("g", "w", floats(2, 1));
    add_text(state, "g", whole(nodes));
    EXPECT_ERROR(tree_of(state, "g"), Status::corrupt, message);
    write_safetensors(scratch / "g", state, "g", {});
    EXPECT_ERROR(tree_of(std::make_shared<Reader>(scratch / "g"), ""), Status::corrupt, message);
  }
  State state;
  state.add_tensor("g", "__tree__", floats(2, 1));
  EXPECT_ERROR(tree_of(state, "g"), Status::corrupt, "expected dtype U8 with one dimension, found F32 [2]");
}

}  // namespace
