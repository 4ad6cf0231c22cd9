import ServerConsole
import ServerRuntime
import WireCoding

// The actions of an admin, performed by the services with the checks and limits of their HTTP APIs (rule CO-33).
extension ServerConsoleSource {
    func publish(_ body: JSONValue) async throws(HTTPProblem) -> JSONValue {
        let channel = try ConsoleMessage.needed(body["channel"]?.string, "channel")
        var message = ConsoleMessage(channel: channel, data: body["data"]?.string ?? "")
        message.application = body["app"]?.string
        message.kind = body["kind"]?.string
        message.event = body["event"]?.string
        message.user = body["user"]?.string
        return ["told": .string(try await service(body["service"]?.string).publish(message))]
    }

    func terminate(_ body: JSONValue) async throws(HTTPProblem) -> JSONValue {
        let user = try ConsoleMessage.needed(body["user"]?.string, "user")
        let name = body["service"]?.string
        let (ending, obstacles) = (consoles.filter { $0.endingObstacle == nil }, consoles.compactMap(\.endingObstacle))
        guard let service = ending.first(where: { $0.service.rawValue == name }) else {
            throw HTTPProblem(400, ([Self.oneOf(ending)] + obstacles).joined(separator: ": ") + ".")
        }
        return ["told": .string(try await service.endConnections(of: user, in: body["app"]?.string))]
    }
}
