import PusherProtocol
import ServerValues
import Testing
import WireCoding

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

@Suite("Recovery in a cluster (RV-20 to RV-23, RV-40 to RV-43)", .timeLimit(.minutes(1)))
struct RecoveryClusterTests {
    private func request(_ message: PusherEnvelope, _ client: TestClient) async throws -> PusherRecoverRequest {
        let position = try #require(message.position.flatMap(PusherPosition.init))
        return PusherRecoverRequest(position: position, socketID: await client.socketID)
    }

    private func publish(_ data: String, _ node: PusherNode) async throws {
        let body = #"{"name":"e","channel":"room","data":"\#(data)"}"#
        #expect(try await node.post("/apps/1001/events", body).status == 200)
    }

    private func recovered(_ confirmation: PusherEnvelope) throws -> String? {
        try confirmation.extras.flatMap { try JSONText($0)["recovered"]?.text }
    }

    @Test("Positions are the same on all nodes, so a client comes back on another one; other clients see none")
    func anotherNode() async throws {
        try await withPusherCluster { cluster in
            let plain = try await cluster[0].connect()
            try await plain.subscribe("room")
            var clients: [TestClient] = []
            for node in cluster.nodes {
                clients.append(try await TestClient.connect(port: node.port, recovers: true))
                try await clients.last?.subscribe("room")
            }
            try await publish("1", cluster[0])
            let events = [try await clients[0].expect("e"), try await clients[1].expect("e")]
            #expect(events[0].position != nil && events[0].position == events[1].position)
            #expect(try await plain.expect("e").position == nil)
            await clients[0].closeSocket()
            for data in ["2", "3"] { try await publish(data, cluster[1]) }
            let back = try await TestClient.connect(port: cluster[1].port, recovers: true)
            try await back.requestSubscription("room", recover: try await request(events[0], clients[0]))
            for data in ["2", "3"] { #expect(try await back.expect("e").data == data) }
            #expect(try recovered(try await back.expect(PusherEventName.subscriptionSucceeded)) == "true")
            try await publish("4", cluster[0])
            #expect(try await back.expect("e").data == "4")
        }
    }

    /// Comes back with the position of a message; what is replayed, and what the confirmation says of it.
    private func comeBack(
        _ message: PusherEnvelope, of client: TestClient, _ node: PusherNode
    ) async throws -> (replayed: [String], recovered: String?) {
        let back = try await TestClient.connect(port: node.port, recovers: true)
        try await back.requestSubscription("room", recover: try await request(message, client))
        var replayed: [String] = []
        while true {
            guard case .message(let next) = try await back.next() else { return (replayed, nil) }
            guard next.event != PusherEventName.subscriptionSucceeded else {
                await back.closeSocket()
                return (replayed, try recovered(next))
            }
            if next.event == "e", let data = next.data { replayed.append(data) }
        }
    }

    @Test func `RV-22: a leader that resigns leaves the histories to the next one`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await client.subscribe("room")
            try await publish("1", cluster[0])
            let old = try await client.expect("e")
            try await publish("2", cluster[0])
            let latest = try await client.expect("e")
            await client.closeSocket()
            try await publish("3", cluster[1])
            try await cluster.lead()
            try await publish("4", cluster[0])
            var answer = try await comeBack(old, of: client, cluster[1])
            #expect(answer.replayed == ["2", "3", "4"] && answer.recovered == "true")
            // And once more, with what the second leader has added.
            try await cluster.lead()
            try await publish("5", cluster[0])
            answer = try await comeBack(latest, of: client, cluster[0])
            #expect(answer.replayed == ["3", "4", "5"] && answer.recovered == "true")
        }
    }

    @Test func `RV-22: what is published while a leader resigns is not missed either`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await client.subscribe("room")
            try await publish("0", cluster[0])
            let old = try await client.expect("e")
            await client.closeSocket()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for number in 1...60 { try await publish("\(number)", cluster[0]) } }
                group.addTask { for _ in 0..<3 { try await cluster.lead() } }
                try await group.waitForAll()
            }
            let answer = try await comeBack(old, of: client, cluster[1])
            // A call whose answer is lost with the leader is made again.
            let replayed = answer.replayed.enumerated().filter { $0 == 0 || answer.replayed[$0 - 1] != $1 }.map(\.element)
            #expect(replayed == (1...60).map { "\($0)" } && answer.recovered == "true")
        }
    }

    @Test func `RV-23: what was left for one leader is not for the one after it`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await client.subscribe("room")
            try await publish("1", cluster[0])
            let old = try await client.expect("e")
            try await cluster.lead()
            await cluster.cluster.settle()
            await cluster.cluster.loseLeader()
            cluster.cluster.trimLog(to: 0)
            try await cluster.lead()
            #expect(try await comeBack(old, of: client, cluster[1]).recovered == "false")
        }
    }

    @Test func `RV-40: what was published under leaders that were killed is replayed by the next one`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await client.subscribe("room")
            try await publish("1", cluster[0])
            let old = try await client.expect("e")
            try await publish("2", cluster[0])
            let latest = try await client.expect("e")
            await client.closeSocket()
            // Nobody gets it now.
            await eventually { cluster[0].channels.channelCount == 0 }
            try await publish("3", cluster[1])
            for number in 4...6 {
                await cluster.cluster.loseLeader()
                try await cluster.lead()
                try await publish("\(number)", cluster[0])
            }
            var answer = try await comeBack(old, of: client, cluster[1])
            #expect(answer.replayed == ["2", "3", "4", "5", "6"] && answer.recovered == "true")
            await cluster.cluster.loseLeader()
            try await cluster.lead()
            answer = try await comeBack(latest, of: client, cluster[0])
            #expect(answer.replayed == ["3", "4", "5", "6"] && answer.recovered == "true")
        }
    }

    @Test func `RV-40: what is published while leaders are killed is replayed, each event that was acknowledged`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await client.subscribe("room")
            try await publish("0", cluster[0])
            let old = try await client.expect("e")
            await client.closeSocket()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for number in 1...60 { try await publish("\(number)", cluster[0]) } }
                group.addTask {
                    for _ in 0..<3 {
                        await cluster.cluster.loseLeader()
                        try await cluster.lead()
                    }
                }
                try await group.waitForAll()
            }
            let answer = try await comeBack(old, of: client, cluster[1])
            // A call whose answer is lost with the leader is made again.
            let replayed = answer.replayed.enumerated().filter { $0 == 0 || answer.replayed[$0 - 1] != $1 }.map(\.element)
            #expect(replayed == (1...60).map { "\($0)" } && answer.recovered == "true")
        }
    }

    @Test func `RV-41: a quiet channel goes on where it was; without the mark in the log nobody is told that nothing is missing`()
        async throws
    {
        for isTrimmed in [false, true] {
            try await withPusherCluster(isKept: true) { cluster in
                let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
                try await client.subscribe("room")
                try await publish("1", cluster[0])
                let old = try await client.expect("e")
                await client.closeSocket()
                await eventually { cluster[0].channels.channelCount == 0 }
                await cluster.cluster.loseLeader()
                if isTrimmed { cluster.cluster.trimLog(to: 0) }
                try await cluster.lead()
                let answer = try await comeBack(old, of: client, cluster[1])
                #expect(answer.replayed == [] && answer.recovered == (isTrimmed ? "false" : "true"))
            }
        }
    }

    @Test func `RV-42: where data was lost no history is gone on with`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let client = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await client.subscribe("room")
            try await publish("1", cluster[0])
            let old = try await client.expect("e")
            await cluster.cluster.loseLeader()
            try await cluster.lead(hasLost: true)
            #expect(try await comeBack(old, of: client, cluster[1]).recovered == "false")
        }
    }

    /// An event of the log.
    private func logged(_ number: UInt64, isKept: Bool = true) -> LoggedEvent {
        LoggedEvent(
            frame: .init(string: "{}"),
            position: LoggedPosition(position: PusherPosition(epoch: "e", number: number), isKept: isKept, time: Int64(number)))
    }

    @Test func `RV-43: events that the log has no more are told as missing to those who missed them`() throws {
        let channel = ChannelID(application: "a", name: "room")
        func history(_ written: UInt64, _ numbers: [UInt64], isWhole: Bool = true) -> ChannelHistory? {
            var log = LoggedHistory()
            for number in numbers { log.add(logged(number, isKept: number != 7), keeping: 3) }
            return RestoredHistory(
                of: channel, written: PusherPosition(epoch: "e", number: written), numbers.isEmpty ? nil : log, isWhole: isWhole
            ) { _ in .seconds(1) }?.history(at: .seconds(0))
        }
        let whole = try #require(history(5, [4, 5, 6, 7]))
        #expect(whole.last == 7 && whole.events.map(\.event.position.number) == [4, 5, 6])
        #expect(whole.dropped.latest(except: nil) == 3 && whole.unkept.latest(except: nil) == 7)
        // As many as a channel keeps, however many there were since its position was written down.
        for written: UInt64 in [0, 1, 5] {
            let long = try #require(history(written, [1, 2, 3, 4, 5]))
            #expect(long.events.map(\.event.position.number) == [3, 4, 5] && long.dropped.latest(except: nil) == 2)
        }
        // What is behind a hole is whole.
        let behind = try #require(history(1, [1, 2, 4, 5], isWhole: false))
        #expect(behind.last == 5 && behind.dropped.latest(except: nil) == 3)
        #expect(history(1, [1, 2, 4, 5]) == nil, "a log that has everything has no hole")
        let quiet = try #require(history(5, []))
        #expect(quiet.last == 5 && quiet.dropped.latest(except: nil) == 5)
        #expect(history(5, [], isWhole: false) == nil)
        #expect(history(5, [2, 3]) == nil, "the log ends before what was written down")
        #expect(try #require(history(0, [])).dropped.latest(except: nil) == 0)
    }

    @Test func `RV-23: a history of which an event is missing is not gone on with`() throws {
        let channel = ChannelID(application: "a", name: "room")
        func event(_ number: UInt64, _ epoch: String = "e") -> (PositionedEvent, Bool, MonotonicInstant) {
            let position = PusherPosition(epoch: epoch, number: number)
            let event = PositionedEvent(positioned: .init(string: "\(number)"), at: position, excluding: nil, user: nil)
            return (event, number != 4, .seconds(Int64(number)))
        }
        func history(_ events: [(PositionedEvent, Bool, MonotonicInstant)], at second: Int64 = 0) -> ChannelHistory? {
            var left = RestoredHistory(channel: channel, epoch: "e", last: 3, dropped: .init(), unkept: .init())
            left.events = events.map { (event: $0.0, isKept: $0.1, expires: $0.2) }
            return left.history(at: .seconds(second))
        }
        let whole = try #require(history([event(2), event(3), event(4), event(5), event(6, "other")]))
        #expect(whole.last == 5 && whole.events.map(\.event.position.number) == [2, 3, 5])
        #expect(whole.unkept.latest(except: nil) == 4)
        #expect(history([event(2), event(3), event(5)]) == nil)
        let late = try #require(history([event(2), event(3)], at: 2))
        #expect(late.events.map(\.event.position.number) == [3] && late.dropped.latest(except: nil) == 2)
        #expect(LatestEvents(whole.dropped.entries) == whole.dropped)
    }

    @Test func `CR-42: a history whose numbers would not fit is not gone on with`() {
        for last: UInt64 in [.max, .max - 1, UInt64(Int64.max) + 1, UInt64(Int64.max), 3] {
            let left = RestoredHistory(
                channel: ChannelID(application: "a", name: "room"), epoch: "e", last: last, dropped: .init(), unkept: .init())
            var history = left.history(at: .seconds(0))
            #expect((history != nil) == (last <= UInt64(Int64.max)))
            if history != nil { #expect(history?.advance().number == last + 1) }
        }
    }

    @Test("RV-20: A new leader keeps events of those who stayed, and tells whose position the log has no more")
    func newLeader() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let stays = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await stays.subscribe("room")
            try await publish("1", cluster[0])
            let old = try await stays.expect("e")
            await cluster.cluster.loseLeader()
            cluster.cluster.trimLog(to: 0)
            try await cluster.lead()
            try await publish("2", cluster[0])
            let new = try await stays.expect("e")
            #expect(new.position != nil)
            try await publish("3", cluster[0])
            for (message, expected) in [(old, "false"), (new, "true")] {
                let back = try await TestClient.connect(port: cluster[1].port, recovers: true)
                try await back.requestSubscription("room", recover: try await request(message, stays))
                #expect(try recovered(try await back.skip(to: PusherEventName.subscriptionSucceeded)) == expected)
            }
        }
    }
}
