import Foundation
import LifelineBackend

/// A request as the routes need it.
struct Request: Sendable {
    var method: String
    var path: String
    /// Header fields by lowercase names.
    var headers: [String: String]
    var body: [UInt8]

    /// The fields of a form.
    var form: [String: String] {
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1).map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
        }
        return Dictionary(pairs.map { ($0.first ?? "", $0.count > 1 ? $0[1] : "") }) { _, last in last }
    }
}

/// Status and JSON body of an answer.
typealias Answer = (status: Int, json: String)

/// The routes of an application's own server. In a real one the user comes from the session; here the header `X-User` stands in for it.
struct Routes: Sendable {
    let backend: PusherBackend

    func answer(_ request: Request) async -> Answer {
        do {
            switch (request.method, request.path) {
            case ("POST", "/pusher/auth"): return try authorize(request)
            case ("POST", "/pusher/webhook"): return try webhook(request)
            case ("POST", "/trigger"): return try await trigger(request)
            default: return (404, "{}")
            }
        } catch let error as BackendError {
            say("refused: \(error)")
            switch error.code {
            case .signatureInvalid: return (401, "{}")
            case .badRequest: return (400, "{}")
            default: return (502, "{}")
            }
        } catch {
            return (500, "{}")
        }
    }

    /// Who may subscribe to what is the application's decision: here each user to everything but the private channels of others.
    private func authorize(_ request: Request) throws -> Answer {
        let (channel, socketID) = (request.form["channel_name"] ?? "", request.form["socket_id"] ?? "")
        let user = request.headers["x-user"] ?? "guest"
        if channel.hasPrefix("private-user-"), channel != "private-user-\(user)" { return (403, "{}") }
        let member = try PusherBackendUser(id: user, info: ["name": user])
        return (200, try backend.authorize(channel: channel, socketID: socketID, user: member).json)
    }

    private func webhook(_ request: Request) throws -> Answer {
        let webhook = try backend.webhook(
            body: request.body, key: request.headers["x-pusher-key"], signature: request.headers["x-pusher-signature"])
        for event in webhook.events { say("webhook: \(event)") }
        return (200, "{}")
    }

    private func trigger(_ request: Request) async throws -> Answer {
        let form = request.form
        try await backend.trigger(form["event"] ?? "", on: [form["channel"] ?? ""], text: form["data"] ?? "")
        return (200, "{}")
    }
}

/// Prints a line at once, also where the output is not a terminal.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
