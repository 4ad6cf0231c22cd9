import ClusterTestSupport
import NIOCore
import ServerCluster
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The console of a node of a cluster (CO-96)", .timeLimit(.minutes(1)))
struct ConsoleRelayTests {
    /// A service of the leader.
    private struct Decider: ConsoleCalls {
        func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
            let row = ChannelRows.Row("\(listing.prefix)room", title: "Title", subscriptions: 2, users: nil)
            return ChannelRows([row], total: listing.limit, next: listing.after)
        }

        func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
            ChannelMembers(isOccupied: true, users: [channel, listing.kind ?? "none"], count: 7)
        }

        func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
            throw HTTPProblem(429, "Too many of \(message.event ?? "none").")
        }

        func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
            "\(user) of \(application ?? "none") was ended."
        }
    }

    /// The same service on a node, which decides about nothing.
    private struct Local: ConsoleService {
        let service: ServiceName

        func applicationRows() -> [ApplicationRow] { [ApplicationRow(id: "local", key: "local")] }
        func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows { ChannelRows([], total: 0, next: nil) }
        func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
            ChannelMembers(isOccupied: false, users: [], count: 0)
        }
        func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) { ([], nil) }
        func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String { "Done here." }
        func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String { "Done here." }
    }

    /// Runs `body` with the consoles of two nodes, of which the first one leads.
    private func withConsoles(_ body: ([RelayedConsole]) async throws -> Void) async throws {
        let cluster = InProcessCluster()
        var consoles: [RelayedConsole] = []
        for name in ["leader", "follower"] {
            let bus = cluster.bus(name)
            let relay = ConsoleRelay(bus)
            relay.answer(for: .pusher) { name == "leader" ? Decider() : nil }
            await cluster.join(bus)
            consoles.append(RelayedConsole(local: Local(service: .pusher), relay: relay))
        }
        let leader = try #require(consoles.first?.relay)
        try await cluster.lead(by: [.console: leader])
        do {
            try await body(consoles)
        } catch {
            await cluster.loseLeader()
            throw error
        }
        await cluster.loseLeader()
    }

    @Test func `CO-96: in a cluster the service of the server that leads answers the console of every node`() async throws {
        try await withConsoles { consoles in
            var listing = ConsoleListing()
            listing.prefix = "a-"
            listing.kind = "group"
            listing.after = "a"
            listing.limit = 3
            for console in consoles {
                let page = try await console.channelRows(listing)
                let row = ChannelRows.Row("a-room", title: "Title", subscriptions: 2, users: nil)
                #expect(page == ChannelRows([row], total: 3, next: "a"))
                let members = try await console.members(of: "room", listing)
                #expect(members == ChannelMembers(isOccupied: true, users: ["room", "group"], count: 7))
                #expect(try await console.endConnections(of: "ann", in: "1") == "ann of 1 was ended.")
                #expect(console.applicationRows().map(\.id) == ["local"])
            }
        }
    }

    @Test func `CO-96: a refusal of the leader arrives with its status and its sentence`() async throws {
        try await withConsoles { consoles in
            for console in consoles {
                var message = ConsoleMessage(channel: "room", data: "x")
                message.event = "greeting"
                let problem = await #expect(throws: HTTPProblem.self) { try await console.publish(message) }
                #expect(problem?.status == 429 && problem?.message == "Too many of greeting.")
                // A service that the leader does not have.
                let other = RelayedConsole(local: Local(service: ServiceName(rawValue: "other")), relay: console.relay)
                let missing = await #expect(throws: HTTPProblem.self) { try await other.channelRows(ConsoleListing()) }
                #expect(missing?.status == 503)
            }
        }
    }

    /// The leader of a partition, which has some channels.
    private struct PartDecider: ConsoleCalls {
        let name: String

        func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
            let rows = ["a", "b", "c"].map { ChannelRows.Row("\($0)-\(name)", users: nil) }
            return ChannelRows(first: listing.limit, of: Array(rows.prefix(listing.limit + 1)), total: rows.count)
        }
        func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
            ChannelMembers(isOccupied: true, users: [name], count: 1)
        }
        func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String { name }
        func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String { name }
    }

    @Test func `CP-78: a console lists the channels of all partitions and finds each in its own`() async throws {
        var relays: [ConsoleRelay] = []
        var clusters: [InProcessCluster] = []
        for number in 0..<2 {
            let cluster = InProcessCluster()
            let bus = cluster.bus("node")
            let relay = ConsoleRelay(bus)
            relay.answer(for: .pusher) { PartDecider(name: "\(number)") }
            await cluster.join(bus)
            try await cluster.lead(by: [.console: relay])
            relays.append(relay)
            clusters.append(cluster)
        }
        let console = RelayedConsole.of(Local(service: .pusher), relays: relays, id: .pusher) { channel, _, _ in
            channel == "even" ? 0 : 1
        }
        var listing = ConsoleListing()
        listing.limit = 3
        let page = try await console.channelRows(listing)
        #expect(page.rows.map(\.name) == ["a-0", "a-1", "b-0"] && page.total == 6 && page.next == "b-0")
        listing.limit = 6
        let all = try await console.channelRows(listing)
        #expect(all.rows.count == 6 && all.next == nil)
        #expect(try await console.members(of: "even", listing).users == ["0"])
        #expect(try await console.members(of: "odd", listing).users == ["1"])
        #expect(try await console.publish(ConsoleMessage(channel: "odd", data: "x")) == "1")
        // What belongs to an application is asked of its home.
        let home = try #require(ClusterPartitions(2)).partition(of: "local", in: .pusher)
        #expect(try await console.endConnections(of: "ann", in: nil) == "\(home)")
        // A list without the channels of one partition would be wrong.
        relays[1].answer(for: .pusher) { nil }
        await #expect(throws: HTTPProblem.self) { try await console.channelRows(listing) }
        for cluster in clusters { await cluster.loseLeader() }
    }
}
