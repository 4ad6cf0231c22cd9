import Lifeline
import LifelineServer
import ServerStorage

extension DemoPart {
    private static let room = "room"
    /// A keyset with an access manager.
    private static let guarded = Keyset(
        publishKey: "demo", subscribeKey: "guarded", secretKey: "guarded-secret", requiresGrants: true)

    private static func pubnub(
        _ name: String, _ host: ServiceHost, keyset: String = "demo", authKey: String? = nil, cipherKey: String? = nil,
        filter: String? = nil, presence: Bool = false
    ) -> Service {
        .pubnub(
            publishKey: "demo", subscribeKey: keyset, userID: name, host: host, authToken: authKey, cipherKey: cipherKey,
            filter: filter, presence: presence)
    }

    /// The PubNub part: presence, history, outages with catch-up, a denial that is resolved, and precise errors.
    static func pubnub() -> DemoPart {
        let toAnn = DemoJournal.Route(channel: room, from: "ben", to: "ann")
        return DemoPart(
            title: "The same server speaks PubNub: the same clients, with another service",
            server: {
                try await LifelineServer.start(
                    .init(port: 0, keysets: [.development, guarded], pollHold: .seconds(5), drainTimeout: .seconds(1)))
            },
            introduction: { _, _ in
                ["ann      subscribes to \(room) through the relay; ben publishes"]
            },
            journal: DemoJournal(subject: "ann", channels: [room], detection: detection, judgesByGaps: true),
            steps: [
                .cause("ann subscribes, then ben"),
                .enter("ann", [room], throughRelay: true) { _, host in pubnub("ann", host, presence: true) },
                .expect("ann is connected") { $0["ann"].phases.last == .connected },
                .enter("ben", [room]) { _, host in pubnub("ben", host) },
                .expect("ann sees ben join") { $0["ann"].presence.contains("ben join") },
                .cause("ben publishes 20 messages, and asks for the history"),
                .publish(20, from: "ben", to: "ann", on: room),
                .expect("20 messages arrive, once and in order") { $0.journal.received(toAnn) == Array(1...20) },
                .act { run in
                    let stored = (try? await run.actor("ben")?.client.channel(room).history(last: 100)) ?? []
                    let numbers = stored.compactMap { (try? $0.decode(DemoTick.self))?.number }
                    run.stage.change { $0.journal.check("the history has the same 20 messages", numbers == Array(1...20)) }
                },
                .cause("ben unsubscribes"),
                .with("ben") { $0.unsubscribe(room) },
                .expect("ann sees ben leave") { $0["ann"].presence.contains("ben leave") },

                .cause("The service's address refuses connections; 30 messages are published meanwhile"),
                .fault("refused") { try await $0.refuse() },
                .publish(30, from: "ben", to: "ann", on: room),
                .expect("ann is told of the outage") { $0["ann"].isOffline },
                .cause("The address accepts connections again"),
                .repair { try await $0.listen() },
                .expect("ann is connected again, has caught up all 30, and misses nothing") {
                    $0["ann"].phases.last == .connected && $0.journal.received(toAnn).count == 50 && $0["ann"].gaps.isEmpty
                },

                .cause("Refused again; this time 150 messages are published, and the service keeps the last 100"),
                .fault("refused again") { try await $0.refuse() },
                .publish(150, from: "ben", to: "ann", on: room),
                .expect("ann is told of the second outage") { $0["ann"].isOffline },
                .cause("The address accepts connections again"),
                .repair { try await $0.listen() },
                .expect("ann gets the last 100") { $0.journal.received(toAnn).suffix(100) == Array(101...200)[...] },
                .expect("ann is told that messages are missing before them") { $0["ann"].gaps == [.tooMany] },
            ] + denied + mistaken)
    }

    /// A denied subscription: its error names the channels, and the client subscribes automatically once the right is granted.
    private static let denied: [DemoStep] = [
        .cause("cid subscribes where rights are checked, and has none yet"),
        .enter("cid", [room]) { _, host in pubnub("cid", host, keyset: guarded.subscribeKey, authKey: "cid-key") },
        .expect("cid is denied, and will be tried again") { state in
            state["cid"].statuses.contains { $0.category == .accessDenied && $0.willRetry }
        },
        .cause("The right is granted"),
        .act { run in
            try await DemoGrant.allow(
                authKey: "cid-key", channel: room, subscribeKey: guarded.subscribeKey,
                secretKey: guarded.secretKey.revealed, port: run.server.port)
        },
        .expect("cid is connected without doing anything") { $0["cid"].phases.last == .connected },
    ]

    /// Shows the precise errors for an invalid filter and for a wrong key.
    private static let mistaken: [DemoStep] = [
        .cause("dan sets a filter that nobody can read"),
        .enter("dan", [room]) { _, host in pubnub("dan", host, filter: "language = = 'en'") },
        .expect("dan is told that the filter is malformed, and nothing is tried again") {
            $0["dan"].statuses.last?.category == .malformedFilter && $0["dan"].statuses.last?.willRetry == false
        },
        .cause("dan sets one that can be read"),
        .enter("dan", [room]) { _, host in pubnub("dan", host, filter: "language == 'en'") },
        .expect("dan is connected with a better one") { $0["dan"].phases.last == .connected },

        .cause("eve and flo encrypt, with different keys"),
        .enter("eve", ["secrets"]) { _, host in pubnub("eve", host, cipherKey: "one key") },
        .expect("eve is connected") { $0["eve"].phases.last == .connected },
        .act { run in
            let host = ServiceHost("127.0.0.1", port: run.server.port, tls: false)
            let flo = DemoActor("flo", service: pubnub("flo", host, cipherKey: "another key"), stage: run.stage)
            await flo.send(DemoTick(from: "flo", number: 1), to: "secrets")
        },
        .expect("eve is told that a message of secrets could not be opened") { state in
            state["eve"].problems.contains { $0.code == .decryptionFailed && $0.channel == "secrets" }
        },
    ]
}
