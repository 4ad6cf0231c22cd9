import ChatProtocol
import Foundation
import LifelineServer
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerStorage

/// Measures the chat server over real sockets on this machine. One process serves, another one is the clients:
/// ```
/// ChatBenchmark serve PORT TOKENS USERS [DIRECTORY]   # in memory, or in SQLite with a directory; writes tokens into a file
/// ChatBenchmark latency PORT TOKENS [MESSAGES]        # one message at a time, from one session to another
/// ChatBenchmark acked PORT TOKENS [SECONDS [SENDERS [WINDOW]]]   # acknowledged messages a second
/// ChatBenchmark idle PORT TOKENS PID [SESSIONS]       # memory of the server for each session that is held
/// ChatBenchmark connects PORT TOKENS [SESSIONS [AT_ONCE]]        # openings a second
/// ```
/// The file of tokens has a line for each user; users are `u0`, `u1` and so on.
@main struct ChatBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3, let port = Int(arguments[1]) else {
            print("ChatBenchmark serve|latency|acked|idle|connects PORT TOKENS …")
            exit(2)
        }
        func number(_ index: Int, _ standard: Int) -> Int {
            arguments.count > index ? Int(arguments[index]) ?? standard : standard
        }
        if arguments[0] == "serve" {
            return try await serve(port, arguments[2], number(3, 2), arguments.count > 4 ? arguments[4] : nil)
        }
        let tokens = try String(contentsOfFile: arguments[2], encoding: .utf8).split(separator: "\n").map(String.init)
        let load = Load(target: Target(port: port), tokens: tokens)
        switch arguments[0] {
        case "latency": try await load.latency(number(3, 20_000))
        case "acked": try await load.acked(seconds: number(3, 10), senders: number(4, 16), window: number(5, 32))
        case "idle": try await load.idle(pid: number(3, 0), sessions: number(4, 10_000))
        case "connects": try await load.connects(number(3, 5_000), atOnce: number(4, 64))
        default: print("no such part")
        }
    }

    private static func serve(_ port: Int, _ tokenFile: String, _ users: Int, _ directory: String?) async throws {
        var settings = ChatApplication.development
        settings.limits.sendsPerSecond = 1_000_000
        let server = try await LifelineServer.start(
            .init(port: port, chatApplications: [settings], dataDirectory: directory))
        var tokens: [String] = []
        for user in 0..<users { tokens.append(try await server.issueChatToken(user: "u\(user)")) }
        try (tokens.joined(separator: "\n") + "\n").write(toFile: tokenFile, atomically: true, encoding: .utf8)
        print("serving on \(server.port) as process \(ProcessInfo.processInfo.processIdentifier)")
        fflush(nil)
        try await Task.sleep(for: .seconds(86_400))
    }
}
