import ConnectionEngine
import Lifeline
import LifelineBackend
import LifelineServer

extension DemoPart {
    /// The chat part: two users, an outage without losses, a second device, a token that expires, and a ban.
    static func chat() -> DemoPart {
        let toAnn = DemoJournal.Route(channel: "direct:ann", from: "ben", to: "ann")
        let toBen = DemoJournal.Route(channel: "direct:ben", from: "ann", to: "ben")
        return DemoPart(
            title: "The same server speaks chat: tokens, devices, and messages that wait for their receiver",
            server: { try await LifelineServer.start(.init(port: 0, drainTimeout: .seconds(1))) },
            introduction: { _, _ in
                ["ann      connects through the relay; ben connects to the server"]
            },
            journal: DemoJournal(subject: "ann", channels: ["direct:ben"], detection: detection, judgesByGaps: true),
            steps: [
                .enter("ben", ["direct:ann"]) { run, host in try await chat(run, host, user: "ben", device: "laptop") },
                .expect("ben is connected") { $0["ben"].phases.last == .connected },
                .cause("ann connects with a token"),
                .annConnects,
                .expect("ann is connected, by way of connecting") { $0["ann"].phases == [.connecting, .connected] },
                .cause("ben sends 20 messages, ann answers with ten"),
                .publish(20, from: "ben", to: "ann", on: "direct:ann"),
                .expect("20 messages arrive, once and in order") { $0.journal.received(toAnn) == Array(1...20) },
                .publish(10, from: "ann", to: "ben", on: "direct:ben"),
                .expect("ben has ann's ten answers") { $0.journal.received(toBen) == Array(1...10) },

                .cause("The service's address refuses connections; ben sends 300 messages meanwhile"),
                .fault("refused") { try await $0.refuse() },
                .expect("ann is told of the outage") { $0["ann"].isOffline },
                .publish(300, from: "ben", to: "ann", on: "direct:ann"),
                .cause("The address accepts connections again"),
                .repair { try await $0.listen() },
                .expect("ann is connected again, and all 300 have come, once and in order") {
                    $0["ann"].phases.last == .connected && $0.journal.received(toAnn) == Array(1...320)
                },

                .cause("ann signs in on a second phone"),
                .enter("ann 2", []) { run, host in try await chat(run, host, user: "ann", device: "phone-2") },
                .expect("the first one is kicked, and does not fight back") { $0["ann"].hasEnded(with: .kicked) },
                .with("ann 2") { await $0.leave() },
                .cause("ann signs in on the first one again"),
                .with("ann") { $0.connect() },
                .expect("ann is connected") { $0["ann"].phases == [.connecting, .connected] },

                .cause("The application's server makes ann's tokens expire"),
                .act { try await backend($0).expireTokens(of: ["ann"], issuedBefore: Int(TimeOfDay().unixMilliseconds(.now))) },
                .expect("ann is told, once, that the token is of no use") { $0["ann"].hasEnded(with: .credentialsRejected) },
                .cause("ann asks for a new token and connects"),
                .annConnects,
                .expect("ann is connected with the new token") { $0["ann"].phases.suffix(2) == [.connecting, .connected] },

                .cause("ann is banned"),
                .act { try await backend($0).ban(["ann"], minutes: 1) },
                .expect("ann is told, and nothing more is tried") { $0["ann"].hasEnded(with: .banned) },
            ])
    }

    /// The server API of chat, as the application's own server would use it.
    private static func backend(_ run: DemoRun) throws -> ChatBackend {
        try ChatBackend(
            key: ChatKey("app-key", secret: "app-secret"), address: BackendAddress("127.0.0.1", port: run.server.port, tls: false)
        )
    }

    fileprivate static func chat(
        _ run: DemoRun, _ host: ServiceHost, user: String, device: String
    ) async throws -> Service {
        let token = try await backend(run).issueToken(for: user)
        return .nexconn(appKey: "app-key", host: host, access: .token(token), device: device)
    }
}

extension DemoStep {
    fileprivate static let annConnects = DemoStep.enter("ann", ["direct:ben"], throughRelay: true) { run, host in
        try await DemoPart.chat(run, host, user: "ann", device: "phone-1")
    }
}
