import NIOConcurrencyHelpers
import ServerRuntime
import WireCoding

// Handles calls about applications, from the console's page with a session or from programs with a password (rules AR-14 and AR-15).
extension ConsoleFront {
    func applications(
        _ call: ApplicationCall, _ request: HTTPRequest, passage: RequestPassage, for connection: HTTPConnection
    ) throws(HTTPProblem) {
        let body = try Self.body(of: call, request)
        let address = passage.shownAddress ?? "unknown"
        guard let password = Self.basicPassword(request.headers) else {
            let (_, session) = try session(request, passage, toChange: call.isChange)
            if call.isChange, !session.role.mayChange { throw .readOnly }
            return answer(call, body, from: address, connection.expectAnswer())
        }
        // A browser that stores the password could send it together with a form on a page of another site. A form cannot send JSON, so only
        // JSON is accepted.
        guard judge.isFromOwnPage(request.headers) else { throw .foreignPage }
        guard request.method != "POST" || judge.isJSON(request.headers) else { throw .notJSON }
        let visitor = visitor(passage)
        try check(password, of: visitor, for: connection) { [self] role, reply in
            guard let role else {
                context.logger.warning("wrong password for the console", metadata: ["address": "\(address)"])
                return reply(.console(.passwordNeeded))
            }
            let now = context.now
            state.withLockedValue { $0.logins.succeed(visitor, at: now) }
            if call.isChange, !role.mayChange { return reply(.console(.readOnly)) }
            answer(call, body, from: address, reply)
        }
    }

    /// Parses the body of a change, which must be a JSON object. An empty body is the same as `{}`.
    private static func body(of call: ApplicationCall, _ request: HTTPRequest) throws(HTTPProblem) -> JSONValue {
        guard call.isChange, !request.body.isEmpty else { return [:] }
        // The parser's own error is not returned, because it would quote the body, which may contain a secret.
        guard let body = try? JSONValue(parsing: request.body), body.object != nil else { throw .notAnObject }
        return body
    }

    private func answer(_ call: ApplicationCall, _ body: JSONValue, from address: String, _ reply: @escaping HTTPReply) {
        Task { [source] in
            do throws(HTTPProblem) {
                reply(.console(try await source.answer(call, body, from: address), status: call == .create ? 201 : 200))
            } catch {
                reply(.console(error))
            }
        }
    }
}
