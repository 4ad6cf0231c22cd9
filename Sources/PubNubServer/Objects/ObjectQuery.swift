import Identifiers
import PubNubProtocol

/// The details that a request includes in addition to ids and names. The prefix `nested` means the channel or user of a membership.
enum ObjectInclude: String, CaseIterable, Hashable, Sendable {
    case custom
    case status
    case type
    case nested
    case nestedCustom = "nested.custom"
    case nestedStatus = "nested.status"
    case nestedType = "nested.type"
}

extension Set<ObjectInclude> {
    /// The details of the membership's channel or user that the answer includes; empty when it includes only the id of this channel or
    /// user.
    var nested: Set<ObjectInclude> {
        var found: Set<ObjectInclude> = []
        if contains(.nested) { found.insert(.nested) }
        for (outer, inner) in [
            (ObjectInclude.nestedCustom, ObjectInclude.custom), (.nestedStatus, .status), (.nestedType, .type),
        ]
        where contains(outer) {
            found.formUnion([.nested, inner])
        }
        return found
    }
}

/// A list that a request can read.
enum ObjectList: Hashable, Sendable {
    case users
    case channels
    case memberships(user: Identifier)
    case members(channel: Identifier)

    /// The kind of the list's elements; for a list of memberships, the kind of the channel or user that each element names.
    var otherKind: KeysetObjects.Kind {
        switch self {
        case .users, .members: .user
        case .channels, .memberships: .channel
        }
    }

    var isOfMemberships: Bool {
        switch self {
        case .users, .channels: false
        case .memberships, .members: true
        }
    }
}

/// A key by which a list is sorted, and its direction.
struct ObjectSort: Hashable, Sendable {
    enum Key: String, Hashable, Sendable {
        case id
        case name
        case updated
        case status
        case type
    }

    var key: Key
    /// Whether the sort key is a field of the membership's channel or user, not of the membership.
    var isNested: Bool
    var isDescending = false
}

/// The parameters of a request for a list (rules PO-11 to PO-15).
struct ObjectQuery: Hashable, Sendable {
    var include: Set<ObjectInclude> = []
    var filter: PubNubFilter?
    var sort: [ObjectSort] = []
    /// The largest number of elements on the page; 0 when the client needs only the count (rule PO-15).
    var limit = 100
    /// The position of the page's first element in the list.
    var start = 0
    /// The position after the last element of the page; used only when the request has no `start`.
    var end: Int?
    var isCounted = false

    /// Whether the filter or a sort key of the query makes it necessary to read all elements of the list.
    var looksAtEverything: Bool { filter != nil || !sort.isEmpty }
}

extension ObjectQuery {
    /// - Parameter list: the list that is requested; nil for a request about one user or channel, which only chooses the details to
    ///   include.
    init(_ request: PubNubServerRequest, _ list: ObjectList?, limits: ObjectLimits) throws(ObjectProblem) {
        let names = request.target.parameters.filter { $0.name == "include" }.flatMap { PubNubAddress.list($0.value) }
        isCounted = request.flag("count") ?? (request.parameter("count")?.lowercased() == "true")
        for name in names {
            // One client library requests the count with `include=totalCount` instead of `count`.
            if name.isExactly("totalCount") { isCounted = true }
            if let include = Self.include(name, list) { include.map { _ = self.include.insert($0) } }
        }
        guard let list else { return }
        if let text = request.parameter("filter"), !text.isEmpty {
            do throws(PubNubFilterError) {
                filter = try PubNubFilter(text)
            } catch {
                throw .invalid(error.description, location: "filter", in: "query")
            }
        }
        let sorts = request.target.parameters.filter { $0.name == "sort" }.flatMap { PubNubAddress.list($0.value) }
        sort = try Self.sort(sorts, list)
        limit = limits.page
        if let text = request.parameter("limit") {
            guard let asked = Int(text), asked >= 0 else { throw .invalid("Invalid limit", location: "limit", in: "query") }
            limit = min(asked, limits.page)
        }
        if let text = request.parameter("start"), !text.isEmpty {
            start = try Self.place(text, "start")
        } else if let text = request.parameter("end"), !text.isEmpty {
            end = try Self.place(text, "end")
        }
    }

    /// The detail that a name in the parameter `include` means; nil for the id, which is always included, and for unknown names.
    private static func include(_ name: String, _ list: ObjectList?) -> ObjectInclude?? {
        var name = name
        if let list, list.isOfMemberships {
            let key = list.otherKind.key
            if name.isExactly(key) { return .nested }
            if name.hasBytePrefix(key + ".") { name = "nested" + name.dropFirst(key.count) }
        }
        return ObjectInclude(rawValue: name)
    }

    private static func sort(_ names: [String], _ list: ObjectList) throws(ObjectProblem) -> [ObjectSort] {
        var found: [ObjectSort] = []
        for name in names {
            let parts = name.split(separator: ":", omittingEmptySubsequences: false)
            var key = String(parts.first ?? "")
            var isNested = false
            if list.isOfMemberships, key.hasBytePrefix(list.otherKind.key + ".") {
                key = String(key.dropFirst(list.otherKind.key.count + 1))
                isNested = true
            }
            let direction = parts.count > 1 ? String(parts[1]) : "asc"
            guard let known = ObjectSort.Key(rawValue: key), parts.count <= 2, direction == "asc" || direction == "desc" else {
                throw .invalid("Invalid sort", location: "sort", in: "query")
            }
            // A membership has neither an id nor a name of its own. So the keys `id` and `name` always mean the membership's channel or
            // user; some client libraries omit the prefix.
            if list.isOfMemberships, known == .id || known == .name { isNested = true }
            // A repeated sort key is ignored, because only its first occurrence affects the order.
            guard !found.contains(where: { $0.key == known && $0.isNested == isNested }) else { continue }
            found.append(ObjectSort(key: known, isNested: isNested, isDescending: direction == "desc"))
        }
        // A last sort key that equals the default order, which is by id, is removed.
        let last = ObjectSort(key: .id, isNested: list.isOfMemberships)
        while found.last == last { found.removeLast() }
        return found
    }

    // MARK: Places

    /// A position in a list as clients receive it: its decimal digits in base64, so that 1 becomes `MQ`.
    static func text(_ place: Int) -> String { Base64URL.text(Array(String(place).utf8), isPadded: false) }

    private static func place(_ text: String, _ location: String) throws(ObjectProblem) -> Int {
        guard text.utf8.count <= 16, let digits = Base64URL.bytes(text),
            let place = Int(String(decoding: digits, as: UTF8.self)), (0...1_000_000_000).contains(place)
        else {
            throw .invalid("Invalid cursor", location: location, in: "query")
        }
        return place
    }
}
