#include "host/plugin/elf_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <unistd.h>

#include <jobhost/abi.h>
#include <sys/stat.h>

namespace jobhost {
namespace {

constexpr std::size_t kMostExports = 10'000;
constexpr std::size_t kMostTableBytes = std::size_t{64} * 1024 * 1024;

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
constexpr const char* kMachineName = "x86-64";
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
constexpr const char* kMachineName = "AArch64";
#else
#error "add the ELF machine number of this processor"
#endif
static_assert(std::endian::native == std::endian::little, "kByteOrder below says so");

/// Ends the inspection with one sentence; caught in inspect_elf and nowhere else.
struct Refused {
    std::string why;
};

std::string name_of_machine(unsigned machine) {
    switch (machine) {
        case EM_386: return "32-bit x86";
        case EM_X86_64: return "x86-64";
        case EM_ARM: return "32-bit Arm";
        case EM_AARCH64: return "AArch64";
        case EM_RISCV: return "RISC-V";
        default: return "machine number " + std::to_string(machine);
    }
}

class Reader {
public:
    explicit Reader(int descriptor) : descriptor_(descriptor) {
        struct stat about = {};
        if (::fstat(descriptor, &about) != 0) throw Refused{std::strerror(errno)};
        if (S_ISDIR(about.st_mode)) throw Refused{"it is a folder, not a shared library"};
        if (!S_ISREG(about.st_mode)) throw Refused{"it is not a regular file"};
        size_ = static_cast<std::uint64_t>(about.st_size);
        if (size_ == 0) throw Refused{"the file is empty"};
    }

    std::uint64_t size() const { return size_; }

    bool holds(std::uint64_t offset, std::uint64_t bytes) const {
        return offset <= size_ && bytes <= size_ - offset;
    }

    void read(void* to, std::uint64_t offset, std::size_t bytes) const {
        if (!holds(offset, bytes)) throw Refused{"the file is cut off"};
        auto* next = static_cast<char*>(to);
        while (bytes > 0) {
            const ssize_t got = ::pread(descriptor_, next, bytes, static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw Refused{std::string("it cannot be read: ") + std::strerror(errno)};
            if (got == 0) throw Refused{"the file became shorter while it was read"};
            next += got;
            offset += static_cast<std::uint64_t>(got);
            bytes -= static_cast<std::size_t>(got);
        }
    }

    template <class Entry>
    std::vector<Entry> read_table(std::uint64_t offset, std::uint64_t bytes) const {
        if (bytes > kMostTableBytes) throw Refused{"one of its tables is absurdly large"};
        std::vector<Entry> table(bytes / sizeof(Entry));
        if (!table.empty()) read(table.data(), offset, table.size() * sizeof(Entry));
        return table;
    }

private:
    int descriptor_;
    std::uint64_t size_ = 0;
};

std::string text_at(const std::vector<char>& table, std::uint64_t offset) {
    if (offset >= table.size()) return {};
    const auto begin = table.begin() + static_cast<std::ptrdiff_t>(offset);
    return {begin, std::find(begin, table.end(), '\0')};
}

Elf64_Ehdr read_header(const Reader& file) {
    Elf64_Ehdr header = {};
    if (file.size() < SELFMAG) throw Refused{"it is not a shared library (ELF)"};
    file.read(header.e_ident, 0, SELFMAG);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        throw Refused{"it is not a shared library (ELF)"};
    }
    file.read(&header, 0, std::min<std::uint64_t>(sizeof header, file.size()));
    if (file.size() > EI_DATA && header.e_ident[EI_CLASS] != ELFCLASS64) {
        throw Refused{"it is a 32-bit library; this host needs 64-bit ones"};
    }
    if (file.size() < sizeof header) throw Refused{"the file is cut off within its first header"};
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kMachine) {
        throw Refused{"it was built for " + name_of_machine(header.e_machine) +
                      "; this host runs on " + kMachineName};
    }
    if (header.e_type != ET_DYN) {
        throw Refused{"it is not a shared object (build it with -shared)"};
    }
    return header;
}

std::vector<Elf64_Phdr> read_segments(const Reader& file, const Elf64_Ehdr& header) {
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) {
        throw Refused{"it has no segments that could be mapped"};
    }
    auto segments = file.read_table<Elf64_Phdr>(header.e_phoff,
                                                std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_type != PT_NULL && !file.holds(segment.p_offset, segment.p_filesz)) {
            throw Refused{"a segment ends behind the end of the file: it was copied incompletely"};
        }
    }
    return segments;
}

struct Sections {
    std::vector<Elf64_Shdr> all = {};
    std::vector<char> names = {};

    std::string name(const Elf64_Shdr& section) const { return text_at(names, section.sh_name); }
    const Elf64_Shdr* of_type(std::uint32_t type) const {
        const auto found = std::ranges::find(all, type, &Elf64_Shdr::sh_type);
        return found == all.end() ? nullptr : &*found;
    }
};

Sections read_sections(const Reader& file, const Elf64_Ehdr& header) {
    if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
        throw Refused{"it has no section table, so it cannot be inspected"};
    }
    Sections sections;
    sections.all = file.read_table<Elf64_Shdr>(header.e_shoff,
                                               std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    for (const Elf64_Shdr& section : sections.all) {
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            !file.holds(section.sh_offset, section.sh_size)) {
            throw Refused{"a section ends behind the end of the file: it was copied incompletely"};
        }
    }
    if (header.e_shstrndx >= sections.all.size()) throw Refused{"its section names are missing"};
    const Elf64_Shdr& names = sections.all[header.e_shstrndx];
    sections.names = file.read_table<char>(names.sh_offset, names.sh_size);
    return sections;
}

std::vector<char> linked_texts(const Reader& file, const Sections& sections,
                               const Elf64_Shdr& section) {
    if (section.sh_link >= sections.all.size()) throw Refused{"its names are missing"};
    const Elf64_Shdr& texts = sections.all[section.sh_link];
    return file.read_table<char>(texts.sh_offset, texts.sh_size);
}

void read_dynamic(const Reader& file, const Sections& sections, ElfFile& out) {
    const Elf64_Shdr* section = sections.of_type(SHT_DYNAMIC);
    if (section == nullptr) throw Refused{"it has no dynamic section"};
    const auto texts = linked_texts(file, sections, *section);
    for (const auto& entry : file.read_table<Elf64_Dyn>(section->sh_offset, section->sh_size)) {
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_NEEDED) out.needed.push_back(text_at(texts, entry.d_un.d_val));
        if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_STATIC_TLS) != 0) {
            throw Refused{
                "it uses static thread-local storage, of which a process has only a little for "
                "libraries loaded later (compile it without -ftls-model=initial-exec)"};
        }
    }
}

void read_exports(const Reader& file, const Sections& sections, ElfFile& out) {
    const Elf64_Shdr* section = sections.of_type(SHT_DYNSYM);
    if (section == nullptr) throw Refused{"it exports nothing"};
    const auto texts = linked_texts(file, sections, *section);
    bool has_entry = false;
    for (const auto& symbol : file.read_table<Elf64_Sym>(section->sh_offset, section->sh_size)) {
        const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
            (visibility != STV_DEFAULT && visibility != STV_PROTECTED)) {
            continue;
        }
        std::string name = text_at(texts, symbol.st_name);
        has_entry = has_entry || name == JOBHOST_ENTRY_SYMBOL;
        if (out.exports.size() < kMostExports) out.exports.push_back(std::move(name));
    }
    if (!has_entry) {
        throw Refused{"it does not export " JOBHOST_ENTRY_SYMBOL
                      ", so it is no jobhost plugin of ABI " +
                      std::to_string(JOBHOST_ABI_MAJOR) +
                      " (does it use JOBHOST_PLUGIN, in exactly one source file?)"};
    }
}

std::string text_of_array(const char* bytes, std::size_t size) {
    return {bytes, std::find(bytes, bytes + size, '\0')};
}

void read_note(const Reader& file, const Sections& sections, ElfFile& out) {
    for (const Elf64_Shdr& section : sections.all) {
        if (section.sh_type == SHT_NOBITS || sections.name(section) != JOBHOST_NOTE_SECTION) {
            continue;
        }
        jobhost_note note = {};
        if (section.sh_size < sizeof note) throw Refused{"its note .jobhost is too short"};
        file.read(&note, section.sh_offset, sizeof note);
        if (note.magic != JOBHOST_MAGIC) throw Refused{"its note .jobhost is damaged"};
        out.note = PluginNote{.abi_major = note.abi_major,
                              .abi_minor = note.abi_minor,
                              .min_host_minor = note.min_host_minor,
                              .name = text_of_array(note.name, sizeof note.name),
                              .version = text_of_array(note.version, sizeof note.version),
                              .sdk = text_of_array(note.sdk, sizeof note.sdk)};
        return;
    }
}

}  // namespace

tl::expected<ElfFile, std::string> inspect_elf(int descriptor, const std::filesystem::path& path) {
    try {
        const Reader file(descriptor);
        const Elf64_Ehdr header = read_header(file);
        read_segments(file, header);
        const Sections sections = read_sections(file, header);
        ElfFile out;
        read_dynamic(file, sections, out);
        read_exports(file, sections, out);
        read_note(file, sections, out);
        return out;
    } catch (const Refused& refused) {
        return tl::unexpected(path.string() + ": " + refused.why);
    }
}

}  // namespace jobhost
