#include "config/yaml_builder.h"

#include <algorithm>
#include <utility>

#include "config/encoding.h"

namespace jobhost::config {
namespace {

constexpr std::size_t kDeepestNesting = 100;
constexpr std::size_t kLargestTree = std::size_t{16} << 20;

bool is_collection(const YamlNode& node) {
    return node.kind == YamlNode::Kind::kSequence || node.kind == YamlNode::Kind::kMap;
}

}  // namespace

YamlFile YamlBuilder::finish() && {
    if (!file_.root) file_.root = std::make_shared<YamlNode>();
    return std::move(file_);
}

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
    if (++documents_ == 2) {
        problem(place(mark), "a second document begins here; a file holds one");
    }
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
    auto node = std::make_shared<YamlNode>();
    node->text = written_null(source_.content_at(mark.line, mark.column), expects_key());
    node->place = node->text.empty() ? place_of_nothing(mark) : place(mark);
    add(std::move(node), anchor);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
        throw YamlProblem{place(mark), "not valid YAML: an alias inside its own anchor"};
    }
    add(found->second, 0);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
    if (!quotes_are_closed(source_.content_at(mark.line, mark.column))) {
        throw YamlProblem{place(mark), "not valid YAML: the quote that opens here is not closed"};
    }
    check_tag(mark, tag);
    auto node = std::make_shared<YamlNode>();
    node->kind = YamlNode::Kind::kScalar;
    node->text = value;
    node->quoted = tag == "!";
    node->place = place(mark);
    node->weight += value.size();
    add(std::move(node), anchor);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value) {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
}

void YamlBuilder::OnSequenceEnd() {
    close();
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
    open(mark, tag, anchor, YamlNode::Kind::kMap);
}

void YamlBuilder::OnMapEnd() {
    close();
}

bool YamlBuilder::expects_key() const {
    return !open_.empty() && open_.back().node->kind == YamlNode::Kind::kMap &&
           !open_.back().has_key;
}

Place YamlBuilder::place(const YAML::Mark& mark) const {
    return source_.place(mark.line, mark.column);
}

/// The library points at what follows an empty value, maybe lines below.
Place YamlBuilder::place_of_nothing(const YAML::Mark& mark) const {
    if (!open_.empty() && open_.back().has_key) return open_.back().key.place;
    const Place next = place(mark);
    const std::string_view rest = source_.content_at(mark.line, mark.column);
    const auto offset = static_cast<std::size_t>(rest.data() - text_.data());
    return open_.empty() ? next : source_.place_of_offset(last_mark_before(text_, offset));
}

void YamlBuilder::check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    problem(place(mark), "tags are not supported; use quotes to make a value text");
}

void YamlBuilder::open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YamlNode::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= kDeepestNesting) {
        throw YamlProblem{place(mark), "nested deeper than 100 levels"};
    }
    Open next{.node = std::make_shared<YamlNode>(), .anchor = anchor};
    next.node->kind = kind;
    next.node->place = place(mark);
    open_.push_back(std::move(next));
}

void YamlBuilder::close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
}

void YamlBuilder::add(YamlNodePtr node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
        if (documents_ == 1) file_.root = std::move(node);
    } else if (expects_key()) {
        add_key(*node);
    } else {
        add_to(open_.back(), std::move(node));
    }
}

void YamlBuilder::add_key(const YamlNode& node) {
    Open& map = open_.back();
    map.has_key = true;
    map.drops_value = true;
    map.key = {.key = node.text, .place = node.place};
    if (is_collection(node)) {
        return problem(node.place, "a key must be text, not a list or a mapping");
    }
    if (node.text == "<<" && !node.quoted) {
        return problem(node.place, "merge keys (<<) are not supported; write the keys out");
    }
    const auto [first, is_new] = map.key_lines.try_emplace(node.text, node.place.line);
    if (!is_new) {
        return problem(node.place, "duplicate key " + quote(node.text) + ", first set in line " +
                                       std::to_string(first->second));
    }
    map.drops_value = false;
}

void YamlBuilder::add_to(Open& parent, YamlNodePtr node) {
    YamlNode& into = *parent.node;
    into.depth = std::max(into.depth, node->depth + 1);
    into.weight += node->weight + parent.key.key.size();
    if (into.depth > kDeepestNesting || into.weight > kLargestTree) {
        throw YamlProblem{into.place, "too large or too deeply nested once aliases are followed"};
    }
    if (into.kind == YamlNode::Kind::kSequence) {
        into.items.push_back(std::move(node));
        return;
    }
    parent.key.value = std::move(node);
    if (!parent.drops_value) into.entries.push_back(std::move(parent.key));
    parent.key = {};
    parent.has_key = false;
}

void YamlBuilder::problem(Place at, std::string message) {
    file_.problems.push_back({at, std::move(message)});
}

}  // namespace jobhost::config
