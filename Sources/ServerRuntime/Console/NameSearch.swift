/// Selects the names in a list that contain a text, without regard to the case of ASCII letters (rule CO-85).
package struct NameSearch: Hashable, Sendable {
    private let wanted: [UInt8]

    /// - Parameter text: the text; empty to select all names.
    package init(_ text: String) { wanted = Self.folded(text) }

    /// Whether the search text is empty, so that all names are selected.
    package var isEverything: Bool { wanted.isEmpty }

    package func takes(_ name: String) -> Bool { wanted.isEmpty || Self.folded(name).contains(wanted) }

    private static func folded(_ text: String) -> [UInt8] {
        text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    }
}

/// Searches a list of names that is read page by page. For each answer, the search visits a limited number of entries (rule CO-85).
package struct PagedSearch<Entry: Sendable>: Sendable {
    /// The largest number of entries of a page; a shorter page is the last one.
    package var pageSize: Int
    /// The largest number of entries that are visited for one answer.
    package var bound = 10_000
    private let search: NameSearch
    private let name: @Sendable (Entry) -> String

    package init(_ search: NameSearch, pageSize: Int, name: @escaping @Sendable (Entry) -> String) {
        (self.search, self.pageSize, self.name) = (search, pageSize, name)
    }

    /// - Parameters:
    ///   - after: the last name of an earlier answer.
    ///   - limit: the largest number of entries to find.
    ///   - page: reads the entries that follow a name.
    /// - Returns: the found entries, and the name after which to continue; nil at the end of the list.
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
