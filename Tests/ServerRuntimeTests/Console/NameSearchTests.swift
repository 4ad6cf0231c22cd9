import ServerRuntime
import Testing

@Suite("Search within names")
struct NameSearchTests {
    private func pages(_ text: String, pageSize: Int = 10, bound: Int = 10_000) -> PagedSearch<String> {
        var pages = PagedSearch<String>(NameSearch(text), pageSize: pageSize) { $0 }
        pages.bound = bound
        return pages
    }

    /// Names of a sorted list after another one, a page at most.
    private func page(_ names: [String], _ size: Int) -> (String?) async -> [String] {
        { after in Array(names.filter { name in after.map { name > $0 } ?? true }.prefix(size)) }
    }

    @Test func `CO-85: a text is found anywhere in a name, and ASCII letters in either case`() {
        #expect(NameSearch("").takes("anything") && NameSearch("").isEverything && NameSearch("").takes(""))
        let search = NameSearch("Room-É")
        #expect(search.takes("private-rOOM-É1") && search.takes("Room-É") && !search.isEverything)
        #expect(!search.takes("room-é") && !search.takes("room-") && !search.takes(""))
        // Bytes are compared, so that a letter and its composed form are two names.
        #expect(!NameSearch("e\u{301}").takes("\u{e9}") && NameSearch("@").takes("a@b") && !NameSearch("@").takes("`"))
    }

    @Test func `CO-85: pages are looked through until there is enough, and the next answer goes on there`() async {
        let names = (0..<95).map { "name-\($0 / 10)\($0 % 10)" }
        var (all, after): ([String], String?) = ([], nil)
        var answers = 0
        repeat {
            let (found, next) = await pages("5").entries(after: after, limit: 4, page(names, 10))
            #expect(found.count <= 4)
            all += found
            after = next
            answers += 1
        } while after != nil && answers < 50
        #expect(all == names.filter { $0.contains("5") } && answers == 5)
        let everything = await pages("").entries(after: nil, limit: 95, page(names, 10))
        #expect(everything.found == names && everything.next == nil)
        let nothing = await pages("x").entries(after: nil, limit: 4, page(names, 10))
        #expect(nothing.found.isEmpty && nothing.next == nil)
        let none = await pages("").entries(after: nil, limit: 4, page([], 10))
        #expect(none.found.isEmpty && none.next == nil)
    }

    @Test func `CO-85: one answer looks at a bounded number of names, and says where to go on`() async {
        let names = (0..<95).map { "name-\($0 / 10)\($0 % 10)" }
        let first = await pages("94", bound: 30).entries(after: nil, limit: 4, page(names, 10))
        #expect(first.found.isEmpty && first.next == "name-29")
        let last = await pages("94", bound: 30).entries(after: "name-89", limit: 4, page(names, 10))
        #expect(last.found == ["name-94"] && last.next == nil)
    }
}
