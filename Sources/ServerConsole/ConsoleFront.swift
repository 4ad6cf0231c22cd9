import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import ServerRuntime
import ServerValues
import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The security settings of the console.
package struct ConsoleSettings: Sendable {
    /// The passwords of the console; nil for an admin port with metrics only.
    package var passwords: ConsolePasswords?
    /// The host names under which the console is available, in addition to IP addresses and `localhost`.
    package var names: [String] = []
    package var usesTLS = false
    /// The addresses of proxies that terminate TLS. If the list is not empty, requests from other machines without TLS are refused.
    package var proxies: [ProxyNetwork] = []
    /// Whether metrics need a password, because clients on other machines can reach the port.
    package var protectsMetrics = false
    /// Whether a proxy on this machine may report the address of the client.
    package var trustsProxyHeaders = false

    package init() {}
}

/// The admin port of a server: the console's pages and its API, metrics and readiness (rules CO-1 to CO-42).
package final class ConsoleFront: ServerFront {
    package let service = ServiceName(rawValue: "console")
    let settings: ConsoleSettings
    let context: ServerContext
    let source: any ConsoleSource
    let judge: RequestJudge
    let state: NIOLockedValueBox<State>

    struct State: Sendable {
        var sessions = ConsoleSessions()
        var logins: LoginLimiter
        var hashing = HashingQueue<@Sendable () -> Void>()
    }

    /// - Parameter context: the context of the admin port, not of the server that the console shows.
    package init(_ settings: ConsoleSettings, context: ServerContext, source: any ConsoleSource) {
        self.settings = settings
        self.context = context
        self.source = source
        judge = RequestJudge(names: settings.names)
        state = NIOLockedValueBox(State(logins: LoginLimiter(at: context.now)))
    }

    // MARK: Requests

    package func owns(_ segments: [String]) -> Bool { ConsoleRoute.owns(segments) }

    package func refusal(_ problem: HTTPProblem) -> HTTPAnswer { .console(problem) }

    package func bodyLimit(_ segments: [String], _ limit: Int) -> Int {
        switch segments {
        case ["console", "api", "publish"]: 262_144
        // The size limit in bytes also applies to changed settings of an application, which can be as large as those of a new application.
        case _ where segments.starts(with: ["console", "api", "apps"]): 16_384
        default: 8_192
        }
    }

    package func answer(_ request: HTTPRequest, for connection: HTTPConnection) {
        do throws(HTTPProblem) {
            let route = try ConsoleRoute(method: request.method, segments: request.target.segments)
            guard judge.allowsHost(request.headers) else { throw .foreignHost }
            // Readiness needs no password, because probes run on other machines and the answer contains no secret.
            if case .ready = route { return connection.answer(readiness) }
            guard let passage = RequestPassage(request.headers, from: connection.remoteAddress, settings) else {
                throw .notOverTLS
            }
            try answer(request, route, passage: passage, for: connection)
        } catch {
            connection.refuse(error, of: request.target, with: .console(error))
        }
    }

    private var readiness: HTTPAnswer {
        let reasons = source.readiness.map { JSONValue.string($0.rawValue) }
        return .console(
            ["status": .string(reasons.isEmpty ? "ready" : "unavailable"), "reasons": .array(reasons)],
            status: reasons.isEmpty ? 200 : 503)
    }

    private func answer(
        _ request: HTTPRequest, _ route: ConsoleRoute, passage: RequestPassage, for connection: HTTPConnection
    ) throws(HTTPProblem) {
        switch route {
        case .metrics: return try metrics(request, passage, for: connection)
        case .ready: return connection.answer(readiness)
        case .page, .session, .login, .logout, .feed, .query, .action, .applications: break
        }
        guard settings.passwords != nil else { throw .noConsole }
        switch route {
        case .metrics, .ready: return
        case .page(let page):
            connection.answer(.page(page))
        case .login: try logIn(request, passage, for: connection)
        case .session:
            let (_, session) = try session(request, passage)
            connection.answer(.console(Self.told(session)))
        case .logout:
            let (id, _) = try session(request, passage, toChange: true)
            state.withLockedValue { $0.sessions.end(id) }
            var answer = HTTPAnswer.console(["status": "ok"])
            answer.fields.append(judge.cookie(nil, usesTLS: passage.usesTLS))
            connection.answer(answer)
        case .feed:
            let (id, session) = try session(request, passage)
            try watch(request, session: id, role: session.role, for: connection)
        case .query(let query):
            _ = try session(request, passage)
            let parameters = try ConsoleParameters(request.target)
            answer(connection) { [source] () throws(HTTPProblem) in try await source.answer(query, parameters) }
        case .action(let action):
            let (_, session) = try session(request, passage, toChange: true)
            guard session.role.mayChange else { throw .readOnly }
            guard let body = try? JSONValue(parsing: request.body), body.object != nil else { throw .notAnObject }
            context.logger.notice("action requested in the console", metadata: ["action": "\(action.rawValue)"])
            answer(connection) { [source] () throws(HTTPProblem) in try await source.perform(action, body) }
        case .applications(let call): try applications(call, request, passage: passage, for: connection)
        }
    }

    private func answer(
        _ connection: HTTPConnection, _ body: @escaping @Sendable () async throws(HTTPProblem) -> JSONValue
    ) {
        let reply = connection.expectAnswer()
        Task {
            do throws(HTTPProblem) {
                reply(.console(try await body()))
            } catch {
                reply(.console(error))
            }
        }
    }

    // MARK: Sessions and logins

    /// Returns the session of a request, or throws the refusal.
    ///
    /// - Parameter toChange: whether the request makes a change, so that it has to come from the console's own page (rule CO-17).
    func session(
        _ request: HTTPRequest, _ passage: RequestPassage, toChange: Bool = false
    ) throws(HTTPProblem) -> (id: String, session: ConsoleSessions.Session) {
        guard let id = judge.session(request.headers, usesTLS: passage.usesTLS),
            let session = state.withLockedValue({ $0.sessions.use(id, at: context.now) })
        else { throw .notLoggedIn }
        guard judge.isFromOwnPage(request.headers) else { throw .foreignPage }
        if toChange, !judge.isMeant(request.headers, token: session.token) { throw .foreignPage }
        return (id, session)
    }

    func isOpen(session id: String) -> Bool {
        let now = context.now
        return state.withLockedValue { $0.sessions.isOpen(id, at: now) }
    }

    private static func told(_ session: ConsoleSessions.Session) -> JSONValue {
        ["role": .string(session.role.rawValue), "token": .string(session.token)]
    }

    private func logIn(
        _ request: HTTPRequest, _ passage: RequestPassage, for connection: HTTPConnection
    ) throws(HTTPProblem) {
        guard judge.isFromOwnPage(request.headers), judge.isJSON(request.headers) else { throw .foreignPage }
        guard let password = (try? JSONValue(parsing: request.body))?["password"]?.string else { throw .notAnObject }
        let former = judge.session(request.headers, usesTLS: passage.usesTLS)
        let (visitor, shown) = (visitor(passage, session: former), passage.shownAddress ?? "unknown")
        try check(password, of: visitor, for: connection) { [self] role, reply in
            guard let role else {
                context.logger.warning("wrong password for the console", metadata: ["address": "\(shown)"])
                return reply(.console(.wrongPassword))
            }
            let now = context.now
            let (id, session) = state.withLockedValue { state in
                state.logins.succeed(visitor, at: now)
                // A login always gets a new session id, and the former session ends, because an attacker may have set its id (session
                // fixation).
                if let former { state.sessions.end(former) }
                let id = state.sessions.begin(role, at: now)
                return (id, state.sessions.use(id, at: now))
            }
            guard let session else { return reply(.console(.notLoggedIn)) }
            context.logger.notice("user logged in to the console", metadata: ["role": "\(role.rawValue)"])
            var answer = HTTPAnswer.console(Self.told(session))
            answer.fields.append(judge.cookie(id, usesTLS: passage.usesTLS))
            reply(answer)
        }
    }

    /// The client that tries to log in, with the address and the session to which the limits of attempts apply.
    func visitor(_ passage: RequestPassage, session: String? = nil) -> LoginVisitor {
        let now = context.now
        let valid = session.flatMap { id in state.withLockedValue { $0.sessions.isOpen(id, at: now) } ? id : nil }
        return LoginVisitor(address: passage.address, session: valid)
    }

    /// Checks a password: hashes it on another thread, at once or after queued password checks. Refuses the request if the visitor has
    /// tried too many passwords, or if the queue is full.
    func check(
        _ password: String, of visitor: LoginVisitor, for connection: HTTPConnection,
        _ answer: @escaping @Sendable (ConsoleRole?, @escaping HTTPReply) -> Void
    ) throws(HTTPProblem) {
        guard let passwords = settings.passwords else { throw .noConsole }
        let now = context.now
        if let wait = state.withLockedValue({ $0.logins.attempt(by: visitor, at: now) }) { throw .tooManyLogins(wait) }
        let (reply, eventLoop) = (connection.expectAnswer(), connection.loop.eventLoop)
        let hash: @Sendable () -> Void = { [self] in
            let role = NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { passwords.role(of: password) }
            role.whenComplete { [self] result in
                state.withLockedValue { $0.hashing.next() }?()
                switch result {
                case .success(let role): answer(role, reply)
                case .failure: reply(.console(.stopping))
                }
            }
        }
        switch state.withLockedValue({ $0.hashing.add(hash, isKnown: $0.logins.isKnown(visitor)) }) {
        case .begin: hash()
        case .wait: return
        case .full: reply(.console(.tooManyLogins(1)))
        }
    }

    // MARK: Figures

    private func metrics(
        _ request: HTTPRequest, _ passage: RequestPassage, for connection: HTTPConnection
    ) throws(HTTPProblem) {
        let eventLoop = connection.loop.eventLoop
        guard settings.protectsMetrics else { return metrics(connection.expectAnswer(), on: eventLoop) }
        guard let password = Self.basicPassword(request.headers) else { throw .passwordNeeded }
        let visitor = visitor(passage)
        try check(password, of: visitor, for: connection) { [self] role, reply in
            guard role != nil else { return reply(.console(.passwordNeeded)) }
            let now = context.now
            state.withLockedValue { $0.logins.succeed(visitor, at: now) }
            metrics(reply, on: eventLoop)
        }
    }

    private func metrics(_ reply: @escaping HTTPReply, on eventLoop: any EventLoop) {
        source.metrics(on: eventLoop).whenComplete { result in
            switch result {
            case .success(let text): reply(HTTPAnswer(.metrics, Array(text.utf8)))
            case .failure: reply(.console(.stopping))
            }
        }
    }

    /// The password of basic authentication. Any user name is accepted.
    package static func basicPassword(_ headers: HTTPHeaders) -> String? {
        let fields = headers["authorization"]
        guard fields.count == 1, fields[0].lowercased().hasPrefix("basic ") else { return nil }
        guard let decoded = Data(base64Encoded: String(fields[0].dropFirst(6))),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(bytes: decoded.suffix(from: decoded.index(after: colon)), encoding: .utf8)
    }

    // MARK: Feed

    private func watch(
        _ request: HTTPRequest, session: String, role: ConsoleRole, for connection: HTTPConnection
    ) throws(HTTPProblem) {
        var filter = FeedFilter()
        let parameters = try ConsoleParameters(request.target)
        filter.service = parameters.service
        filter.application = parameters.application
        filter.channelPrefix = parameters.prefix
        filter.kind = try parameters.kind.map { text throws(HTTPProblem) in
            guard let kind = FeedEvent.Kind(rawValue: text) else {
                let kinds = FeedEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("kind is one of \(kinds).")
            }
            return kind
        }
        filter.showsPayloads = try request.target.value(of: "payloads") == "1"
        guard let watcher = source.feed.watch(filter, for: FeedViewer(group: role.rawValue, name: session)) else {
            throw .tooManyWatchers
        }
        FeedStream(self, session: session, watcher: watcher, connection: connection).begin()
    }

    // MARK: Time

    package func resident(on loop: EventLoopContext) -> any LoopResident { NoResident() }

    package func sweep() {
        let now = context.now
        state.withLockedValue { $0.sessions.sweep(at: now) }
        source.sample()
    }
}

/// A placeholder, because the console has no state on event loops.
private final class NoResident: LoopResident {
    func sweep(at now: MonotonicInstant) {}
    func connections() -> [any DrainedConnection] { [] }
    func cut() {}
}
