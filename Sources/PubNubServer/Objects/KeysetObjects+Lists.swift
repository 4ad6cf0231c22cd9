import Identifiers
import PubNubProtocol

/// An element of a list of users, channels or memberships.
struct ObjectItem: Hashable, Sendable {
    /// The id of the user or channel; for a membership, the id of its channel or user.
    var id: Identifier
    /// The metadata of the user, channel or membership.
    var metadata: ObjectMetadata
    /// The metadata of the membership's channel or user. Nil when this channel or user has no metadata, and for elements that are not
    /// memberships.
    var other: ObjectMetadata?
}

/// One page of a list, with encoded elements.
struct ObjectPage: Hashable, Sendable {
    var elements: [[UInt8]] = []
    /// The number of all elements that pass the filter; nil when the request does not ask for this number.
    var totalCount: Int?
    /// The position after the last element, even on the last page; nil on an empty page.
    var next: String?
    /// The position of the preceding page; nil when there are no elements before this page.
    var previous: String?
}

extension KeysetObjects {
    /// The number of elements of a list.
    func count(of list: ObjectList) -> Int { ids(of: list).count }

    /// Whether a page can be computed in a bounded number of steps, independent of the length of the list.
    func isShort(_ list: ObjectList, _ query: ObjectQuery) -> Bool {
        !query.looksAtEverything || count(of: list) <= limits.shortList
    }

    /// Computes a page of a list (rules PO-11 to PO-14).
    func page(of list: ObjectList, _ query: ObjectQuery) throws(ObjectProblem) -> ObjectPage {
        let ids = ids(of: list)
        guard query.looksAtEverything else {
            return page(list, query, count: ids.count) { item(ids[$0], of: list) }
        }
        var items = ids.compactMap { item($0, of: list) }
        if let filter = query.filter { items = try filtered(items, of: list, by: filter) }
        if !query.sort.isEmpty { items = Self.sorted(items, by: query.sort) }
        return page(list, query, count: items.count) { items[$0] }
    }

    private func ids(of list: ObjectList) -> [Identifier] {
        switch list {
        case .users: users.ids
        case .channels: channels.ids
        case .memberships(let user): memberships[user]?.ids ?? []
        case .members(let channel): members[channel] ?? []
        }
    }

    private func item(_ id: Identifier, of list: ObjectList) -> ObjectItem? {
        switch list {
        case .users: users[id].map { ObjectItem(id: id, metadata: $0) }
        case .channels: channels[id].map { ObjectItem(id: id, metadata: $0) }
        case .memberships(let user): memberships[user]?[id].map { ObjectItem(id: id, metadata: $0, other: channels[id]) }
        case .members(let channel): memberships[id]?[channel].map { ObjectItem(id: id, metadata: $0, other: users[id]) }
        }
    }

    /// The elements of one page, which begins at `query.start` or ends at `query.end`. An element that would exceed the limit of elements
    /// or bytes is left out, and ends the page.
    private func page(
        _ list: ObjectList, _ query: ObjectQuery, count: Int, item: (Int) -> ObjectItem?
    ) -> ObjectPage {
        var page = ObjectPage(totalCount: query.isCounted ? count : nil)
        var bytes = 0
        func add(_ index: Int) -> Bool {
            guard let item = item(index) else { return true }
            let element = ObjectBodies.element(item, list, include: query.include)
            bytes += element.count
            guard page.elements.isEmpty || bytes <= limits.pageBytes else { return false }
            page.elements.append(element)
            return true
        }
        var (lower, upper): (Int, Int)
        if let end = query.end {
            upper = min(end, count)
            lower = upper
            while lower > 0, upper - lower < query.limit, add(lower - 1) { lower -= 1 }
            page.elements.reverse()
        } else {
            lower = min(query.start, count)
            upper = lower
            while upper < count, upper - lower < query.limit, add(upper) { upper += 1 }
        }
        if !page.elements.isEmpty { page.next = ObjectQuery.text(upper) }
        if lower > 0 { page.previous = ObjectQuery.text(lower) }
        return page
    }

    private func filtered(
        _ items: [ObjectItem], of list: ObjectList, by filter: PubNubFilter
    ) throws(ObjectProblem) -> [ObjectItem] {
        var found: [ObjectItem] = []
        var work = 0
        for item in items {
            var subject = PubNubFilterSubject(object: ObjectBodies.whole(item, list))
            if filter.matches(&subject) { found.append(item) }
            work += subject.work
            guard work <= limits.filterWork else {
                throw .invalid(
                    "The filter takes too long for a list of this length. Use a simpler filter.", location: "filter", in: "query")
            }
        }
        return found
    }

    /// Sorts elements: elements without a value come first, and elements with equal values are in the order of their ids.
    private static func sorted(_ items: [ObjectItem], by sort: [ObjectSort]) -> [ObjectItem] {
        let keys = items.map { item in sort.map { ObjectSortValue(item, $0) } }
        let order = items.indices.sorted { left, right in
            for (index, sort) in sort.enumerated() {
                let (first, second) = (keys[left][index], keys[right][index])
                if first != second { return sort.isDescending ? second < first : first < second }
            }
            return left < right
        }
        return order.map { items[$0] }
    }
}

/// The value of an element for one sort key.
private enum ObjectSortValue: Hashable, Comparable {
    case none
    case number(UInt64)
    case text(Identifier)

    init(_ item: ObjectItem, _ sort: ObjectSort) {
        let metadata: ObjectMetadata? = sort.isNested ? item.other : item.metadata
        let text: String?
        switch sort.key {
        case .updated:
            self = metadata.map { .number($0.updated) } ?? .none
            return
        case .id: text = item.id.text
        case .name: text = metadata?.content[.name]
        case .status: text = metadata?.content[.status]
        case .type: text = metadata?.content[.type]
        }
        self = text.map { .text(Identifier($0)) } ?? .none
    }
}
