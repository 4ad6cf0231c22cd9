import Identifiers
import PubNubProtocol
import ServerRuntime
import Testing
import WireCoding

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Lists of App Context: filters, order and pages (rules PO-11 to PO-14)")
struct ObjectListTests {
    /// Six users, who are members of a channel in another order.
    private static func objects(_ limits: ObjectLimits = ObjectLimits()) throws -> KeysetObjects {
        var objects = KeysetObjects(limits: limits)
        let users: [(Identifier, String?, Int, String?)] = [
            ("u1", "Zoe", 20, "b"), ("u2", "adam", 30, nil), ("u3", "Bob", 40, "a"), ("u4", nil, 50, "b"), ("u5", "Bob", 60, nil),
            ("u6", "50% *off*", 70, "a"),
        ]
        for (index, user) in users.enumerated() {
            let patch = ObjectPatch(
                texts: [.name: user.1, .type: user.3], custom: .put(JSONText(checked: #"{"age":\#(user.2),"ok":true}"#)))
            objects.apply(try objects.decide(.set(.user, user.0, patch), at: UInt64(6 - index) * 10_000_000))
            let member = ObjectInput.Membership(id: user.0, patch: ObjectPatch(texts: [.status: user.3]))
            objects.apply(try objects.decide(.members(channel: "room", [member]), at: UInt64(index) * 10_000_000))
        }
        return objects
    }

    private static func query(_ query: String, _ list: ObjectList, _ limits: ObjectLimits = ObjectLimits()) throws -> ObjectQuery
    {
        let target = try RequestTarget(parsing: "/v2/objects/demo/uuids?" + query)
        return try ObjectQuery(PubNubServerRequest(method: "GET", target: target, body: []), list, limits: limits)
    }

    private static func page(
        _ text: String, _ list: ObjectList = .users, _ limits: ObjectLimits = ObjectLimits()
    ) throws -> ObjectPage {
        try objects(limits).page(of: list, query(text, list, limits))
    }

    /// The ids on a page.
    private static func ids(_ page: ObjectPage) throws -> [String] {
        try page.elements.map { element in
            let json = try JSONText(bytes: element)
            return try #require(json["id"]?.string ?? json["uuid"]?["id"]?.string ?? json["channel"]?["id"]?.string)
        }
    }

    @Test(
        "A filter passes what its expression holds for (PO-12, PF-40)",
        arguments: [
            ("name == 'Bob'", ["u3", "u5"]), ("name != 'Bob'", ["u1", "u2", "u6"]), ("name LIKE 'b*'", ["u3", "u5"]),
            ("name LIKE '*\\*off*'", ["u6"]), ("custom.age > 30 && custom.age <= 60", ["u3", "u4", "u5"]),
            ("type == 'a' || id == 'u2'", ["u2", "u3", "u6"]), ("!(type == 'a')", ["u1", "u2", "u4", "u5"]),
            ("updated > '1970-01-01T00:00:04'", ["u1", "u2", "u3"]), ("updated < \"1970-01-01T00:00:02.5Z\"", ["u5", "u6"]),
            ("custom.ok == 'true'", ["u1", "u2", "u3", "u4", "u5", "u6"]), ("nothing == 1", []),
            ("('u1','u4') CONTAINS id", ["u1", "u4"]),
        ])
    func filters(expression: String, expected: [String]) throws {
        let page = try Self.page("count=1&filter=" + PercentEncoding.encode(expression))
        #expect(try Self.ids(page) == expected && page.totalCount == expected.count)
    }

    @Test(
        "Filters of memberships see the membership and the user or channel (PO-12)",
        arguments: [
            ("status == 'a'", ["u3", "u6"]), ("uuid.name == 'Bob'", ["u3", "u5"]), ("uuid.custom.age < 40", ["u1", "u2"]),
            ("uuid.id == 'u4'", ["u4"]), ("name == 'Bob'", []),
        ])
    func membershipFilters(expression: String, expected: [String]) throws {
        let page = try Self.page("filter=" + PercentEncoding.encode(expression), .members(channel: "room"))
        #expect(try Self.ids(page) == expected)
    }

    @Test(
        "The order is that of the keys, then of the ids; elements without a value come first (PO-13)",
        arguments: [
            ("", ["u1", "u2", "u3", "u4", "u5", "u6"]), ("sort=id:desc", ["u6", "u5", "u4", "u3", "u2", "u1"]),
            ("sort=name", ["u4", "u6", "u3", "u5", "u1", "u2"]), ("sort=updated:asc", ["u6", "u5", "u4", "u3", "u2", "u1"]),
            ("sort=type:desc,id:desc", ["u4", "u1", "u6", "u3", "u5", "u2"]),
            ("sort=type&sort=name:desc", ["u2", "u5", "u3", "u6", "u1", "u4"]),
            ("sort=id:asc", ["u1", "u2", "u3", "u4", "u5", "u6"]),
        ])
    func order(text: String, expected: [String]) throws {
        #expect(try Self.ids(Self.page(text)) == expected)
    }

    @Test(
        "Memberships are sorted by their own fields and by those of the other side (PO-13)",
        arguments: [
            ("sort=updated:desc", ["u6", "u5", "u4", "u3", "u2", "u1"]),
            ("sort=uuid.name", ["u4", "u6", "u3", "u5", "u1", "u2"]),
            ("sort=name,id:desc", ["u4", "u6", "u5", "u3", "u1", "u2"]), ("sort=id:desc", ["u6", "u5", "u4", "u3", "u2", "u1"]),
            ("sort=status,uuid.updated", ["u5", "u2", "u6", "u3", "u4", "u1"]),
            ("sort=uuid.id:desc", ["u6", "u5", "u4", "u3", "u2", "u1"]),
        ])
    func membershipOrder(text: String, expected: [String]) throws {
        #expect(try Self.ids(Self.page(text, .members(channel: "room"))) == expected)
    }

    @Test(
        "PO-15: a page of no elements has the count only, wherever it begins, sorted, filtered or not",
        arguments: [
            ("", 6), ("&start=MQ", 6), ("&end=MQ", 6), ("&sort=name", 6), ("&filter=name%20LIKE%20'b*'", 2), ("&start=OTk", 6),
        ])
    func countOnly(text: String, count: Int) throws {
        let page = try Self.page("limit=0&count=true" + text)
        #expect(page.elements.isEmpty && page.totalCount == count && page.next == nil)
        #expect(try Self.page("limit=0&count=1", .members(channel: "room")).totalCount == 6)
        #expect(try Self.page("limit=0" + text).totalCount == nil)
    }

    @Test(
        "Pages follow each other in both directions, sorted, filtered or not (PO-14)",
        arguments: ["", "sort=name", "filter=custom.age%20%3E%200"])
    func pages(text: String) throws {
        let all = try Self.ids(Self.page(text))
        var (found, cursor): ([[String]], String?) = ([], "start=")
        var last = ObjectPage()
        while let next = cursor {
            let page = try Self.page("\(text)&limit=4&count=true&\(next)")
            found.append(try Self.ids(page))
            #expect(page.totalCount == 6)
            // Only a page with elements says where the next one is.
            #expect((page.next == nil) == page.elements.isEmpty)
            if !page.elements.isEmpty { last = page }
            cursor = page.next.map { "start=" + $0 }
        }
        #expect(found.map(\.count) == [4, 2, 0] && found.joined().elementsEqual(all) && last.next == "Ng")
        let before = try Self.page("\(text)&limit=3&end=" + #require(last.previous))
        #expect(try Self.ids(before) == Array(all[1..<4]) && before.previous == "MQ" && before.next != nil)
        let first = try Self.page("\(text)&limit=3&end=MQ")
        #expect(try Self.ids(first) == [all[0]] && first.previous == nil && first.next == "MQ")
        // A place behind the end, after elements have gone.
        #expect(try Self.page("\(text)&start=OTk").elements.isEmpty)
    }

    @Test("A page ends before its bytes do, and has one element in any case (PO-14)")
    func pageBytes() throws {
        var limits = ObjectLimits()
        let size = try Self.page("limit=1").elements[0].count
        for (bytes, expected) in [(1, 1), (2 * size + 20, 2)] {
            limits.pageBytes = bytes
            let page = try Self.page("sort=id:desc", .users, limits)
            #expect(page.elements.count == expected && page.next == ObjectQuery.text(expected))
            #expect(try Self.page("end=Ng", .users, limits).elements.count == expected)
        }
    }

    @Test(
        "What a query cannot mean is refused with its place (PO-11)",
        arguments: [
            ("filter=name%20%3D%3D", "filter"), ("filter=(", "filter"), ("sort=age", "sort"), ("sort=name:up", "sort"),
            ("sort=name:asc:desc", "sort"), ("limit=-1", "limit"), ("limit=x", "limit"), ("start=%21", "start"),
            ("end=AA", "end"),
            ("start=MTAwMDAwMDAwMDAwMA", "start"),
        ])
    func refusals(text: String, location: String) throws {
        let problem = #expect(throws: ObjectProblem.self) { try Self.query(text, .users) }
        guard case .invalid(_, location, "query")? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(throws: ObjectProblem.self) { try Self.query("sort=channel.name", .members(channel: "room")) }
    }

    @Test("A filter that takes too much work for the whole list is refused (PO-12)")
    func filterWork() throws {
        var limits = ObjectLimits()
        limits.filterWork = 500
        #expect(throws: ObjectProblem.self) { try Self.page("filter=name%20LIKE%20'a*'", .users, limits) }
        #expect(try Self.page("sort=name", .users, limits).elements.count == 6)
    }

    @Test("Instants are written with the date of the calendar")
    func instants() {
        let cases: [(UInt64, String)] = [
            (0, "1970-01-01T00:00:00.000000Z"), (15_912_995_977_223_549, "2020-06-04T19:39:57.722354Z"),
            (9_516_960_000_000_000, "2000-02-28T00:00:00.000000Z"), (9_518_687_999_999_999, "2000-02-29T23:59:59.999999Z"),
            (41_023_584_000_000_000, "2099-12-31T00:00:00.000000Z"), (17_092_512_000_000_000, "2024-03-01T00:00:00.000000Z"),
            (17_091_648_000_000_000, "2024-02-29T00:00:00.000000Z"),
        ]
        for (ticks, text) in cases { #expect(ObjectTime.text(ticks) == text) }
    }
}
