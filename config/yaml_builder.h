#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include "config/yaml_source.h"
#include "config/yaml_tree.h"

namespace jobhost::config {

/// Turns the YAML library's events into a YamlNode tree. Throws YamlProblem where reading cannot go
/// on.
class YamlBuilder final : public YAML::EventHandler {
public:
    /// Both must outlive this.
    YamlBuilder(std::string_view text, const YamlSource& source) : text_(text), source_(source) {}

    [[nodiscard]] bool has_second_document() const { return documents_ > 1; }
    YamlFile finish() &&;

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override;
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override;
    void OnMapEnd() override;

private:
    /// A collection whose end has not come yet.
    struct Open {
        std::shared_ptr<YamlNode> node = {};
        YAML::anchor_t anchor = 0;
        bool has_key = false;      ///< `key` waits for its value
        bool drops_value = false;  ///< the value of a key that cannot be used
        YamlEntry key = {};
        std::map<std::string, int, std::less<>> key_lines = {};
    };

    [[nodiscard]] bool expects_key() const;
    [[nodiscard]] Place place(const YAML::Mark& mark) const;
    [[nodiscard]] Place place_of_nothing(const YAML::Mark& mark) const;
    void check_tag(const YAML::Mark& mark, const std::string& tag);
    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              YamlNode::Kind kind);
    void close();
    void add(YamlNodePtr node, YAML::anchor_t anchor);
    void add_key(const YamlNode& node);
    void add_to(Open& parent, YamlNodePtr node);
    void problem(Place at, std::string message);

    std::string_view text_;
    const YamlSource& source_;
    int documents_ = 0;
    std::vector<Open> open_ = {};
    std::map<YAML::anchor_t, YamlNodePtr> anchors_ = {};
    YamlFile file_ = {};
};

}  // namespace jobhost::config
