// A driver for `corpus check --server ./driver`, in C++17 without libraries: `g++ -std=c++17 -O1 -o driver driver.cpp`.
// What is asked and answered is told in driver.mjs. Put your own parser in the place of `feed`; this one takes all for words.
// With a JSON library (nlohmann, simdjson, RapidJSON) `strings` and `quoted` are not needed.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

static void utf8(std::string& to, unsigned c) {
    if (c < 0x80) to += char(c);
    else if (c < 0x800) (to += char(0xC0 | c >> 6)) += char(0x80 | (c & 63));
    else if (c < 0x10000) ((to += char(0xE0 | c >> 12)) += char(0x80 | (c >> 6 & 63))) += char(0x80 | (c & 63));
    else (((to += char(0xF0 | c >> 18)) += char(0x80 | (c >> 12 & 63))) += char(0x80 | (c >> 6 & 63))) += char(0x80 | (c & 63));
}

// The texts that follow the key: one, or those of a list.
static std::vector<std::string> strings(const std::string& line, size_t at) {
    std::vector<std::string> found;
    for (bool list = line[at] == '['; at < line.size() && line[at] != ']'; ++at) {
        if (line[at] != '"') continue;
        std::string text;
        for (++at; line[at] != '"'; ++at) {
            if (line[at] != '\\') { text += line[at]; continue; }
            const std::string from = "bfnrt", to = "\b\f\n\r\t";
            char letter = line[++at];
            if (letter != 'u') { size_t place = from.find(letter); text += place == from.npos ? letter : to[place]; continue; }
            unsigned code = std::stoul(line.substr(at + 1, 4), nullptr, 16);
            at += 4;
            if (code >> 10 == 0x36 && line.compare(at + 1, 2, "\\u") == 0) {  // the first half of a pair
                code = 0x10000 + ((code & 1023) << 10 | (std::stoul(line.substr(at + 3, 4), nullptr, 16) & 1023));
                at += 6;
            }
            utf8(text, code);
        }
        found.push_back(text);
        if (!list) break;
    }
    return found;
}

static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        char escaped[8];
        if (c < 32 || c == '"' || c == '\\') std::snprintf(escaped, sizeof escaped, "\\u%04x", c), out += escaped;
        else out += char(c);
    }
    return out + "\"";
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        bool streams = line.compare(0, 10, "{\"pieces\":") == 0;  // the key comes first
        std::string deltas, words;
        auto pieces = strings(line, line.find(':') + 2);
        for (size_t at = 0; at < pieces.size(); words += pieces[at++])
            deltas += (at ? ", " : "") + std::string("{\"after\": ") + std::to_string(at + 1) + ", \"content\": " + quoted(pieces[at]) + "}";
        std::cout << (streams ? "{\"deltas\": [" + deltas + "]}" : "{\"content\": " + quoted(words) + ", \"tool_calls\": []}") << std::endl;
    }
}
