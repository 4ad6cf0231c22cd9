/// Which names a list shows: those in which a text occurs, ASCII letters in either case (rule CO-85).
package struct NameSearch: Hashable, Sendable {
    private let wanted: [UInt8]

    /// - Parameter text: empty for all names.
    package init(_ text: String) { wanted = Self.folded(text) }

    /// Whether all names are shown.
    package var isEverything: Bool { wanted.isEmpty }

    package func takes(_ name: String) -> Bool { wanted.isEmpty || Self.folded(name).contains(wanted) }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}

/// Looks for names in a list that is told page by page, so far as one answer may (rule CO-85).
package struct PagedSearch<Entry: Sendable>: Sendable {
    /// Pages have at most so many entries; a shorter one is the last.
    package var pageSize: Int
    /// More entries are not looked at for one answer.
    package var bound = 10_000
    private let search: NameSearch
    private let name: @Sendable (Entry) -> String

    package init(_ search: NameSearch, pageSize: Int, name: @escaping @Sendable (Entry) -> String) {
        (self.search, self.pageSize, self.name) = (search, pageSize, name)
    }

    /// - Parameters:
    ///   - after: the name at which an earlier answer ended.
    ///   - limit: entries to find.
    ///   - page: the entries after a name.
    /// - Returns: what was found, and the name after which to go on; nil at the end of the list.
    package func entries<Failure: Error>(
        after: String?, limit: Int, _ page: (String?) async throws(Failure) -> [Entry]
    ) async throws(Failure) -> (found: [Entry], next: String?) {
        var (found, last, looked) = ([Entry](), after, 0)
        while true {
            let part = try await page(last)
            for (index, entry) in part.enumerated() {
                last = name(entry)
                guard search.takes(name(entry)) else { continue }
                found.append(entry)
                guard found.count < limit else {
                    let isLast = index == part.count - 1 && part.count < pageSize
                    return (found, isLast ? nil : last)
                }
            }
            looked += part.count
            guard part.count >= pageSize else { return (found, nil) }
            guard looked < bound else { return (found, last) }
        }
    }
}
