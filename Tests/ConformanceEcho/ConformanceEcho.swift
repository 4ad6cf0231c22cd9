import WebSocketFraming

/// Says back what it hears over WebSocket, for a conformance suite: `server` listens on a free port and prints it, `client PORT` asks
/// the suite's server on loopback how many cases there are, and connects once for each.
@main
enum ConformanceEcho {
    /// What the suite's cases need: the largest message of its group 9 has 16 MiB, and comes in pieces of 64 bytes.
    static let limits = WebSocketLimits(messageBytes: 1 << 25, fragments: 1 << 20)

    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
        case ("server", _):
            let server = try await EchoServer.start()
            print("conformance-echo: ready \(server.port)")
            flushOutput()
            try await server.closed()
        case ("client", let port?):
            let client = EchoClient(port: port)
            for number in 1...(try await client.caseCount()) { try await client.play(number) }
            try await client.finish()
        default:
            print("usage: conformance-echo server | client PORT")
        }
    }
}
