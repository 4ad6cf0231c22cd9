import ConnectionEngine
import Dispatch
import EngineRuntime
import Foundation
import Identifiers
import NIOConcurrencyHelpers
import PusherProtocol

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// Authorises channels with the connection's ``AuthMethod``. The app's code runs on the callback queue, never on the engine's thread.
///
/// `@unchecked Sendable`: the weak reference and the problems are protected by `state`, a `NIOLockedValueBox`.
final class AuthorizationRunner: JobRunner, @unchecked Sendable {
    typealias Session = PusherSession
    typealias Completion = @Sendable (Result<PusherAuthorization, ConnectionFailure>) -> Void
    typealias Outcome = Result<PusherAuthorization, SubscriptionProblem>

    private struct State {
        weak var connection: PusherConnection?
        var problems: [Identifier: SubscriptionProblem] = [:]
    }

    private let state = NIOLockedValueBox(State())
    let queue: DispatchQueue
    private let http: any AuthorizationHTTP

    init(queue: DispatchQueue, http: any AuthorizationHTTP) {
        self.queue = queue
        self.http = http
    }

    func attach(_ connection: PusherConnection) {
        state.withLockedValue { $0.connection = connection }
    }

    /// Removes and returns the details of the latest failure to authorise a channel, for the delegate; nil when there was no failure.
    func takeProblem(of channel: String) -> SubscriptionProblem? {
        state.withLockedValue { $0.problems.removeValue(forKey: Identifier(channel)) }
    }

    func start(_ job: PusherAuthorizeJob, completion: @escaping Completion) -> JobCancellation {
        let pending = PendingAuthorization { [weak self] outcome in
            completion(self?.settle(job, outcome) ?? outcome.mapError(\.failure))
        }
        let connection = state.withLockedValue { state in
            state.problems[Identifier(job.channel)] = nil
            return state.connection
        }
        guard let connection else {
            pending.finish(.failure(.gone))
            return {}
        }
        if job.purpose == .user {
            authenticate(job, on: connection, pending: pending)
            return { pending.cancel() }
        }
        let channel = job.purpose == .subscription ? connection.channels.find(name: job.channel) : nil
        if let auth = channel?.takeAuth(for: job.socketID) {
            pending.finish(Self.outcome(of: auth, for: job, connection))
            return {}
        }
        switch connection.options.authMethod {
        case .noMethod:
            pending.finish(.failure(.noMethod))
        case .endpoint(let text):
            ask(endpoint: text, for: job, pending)
        case .inline(let secret):
            sign(job, secret: secret, connection, pending)
        case .authRequestBuilder, .authorizer:
            queue.async { [weak self] in self?.askApp(for: job, pending) }
        }
        return { pending.cancel() }
    }

    /// Stores the details of a failed authorisation for the delegate, because the engine's failure values have no room for the endpoint's
    /// response and body. A success removes the stored details.
    private func settle(
        _ job: PusherAuthorizeJob, _ outcome: Outcome
    ) -> Result<PusherAuthorization, ConnectionFailure> {
        if job.purpose != .keyReload {
            state.withLockedValue { state in
                if case .failure(let problem) = outcome {
                    state.problems[Identifier(job.channel)] = problem
                } else {
                    state.problems[Identifier(job.channel)] = nil
                }
            }
        }
        return outcome.mapError(\.failure)
    }

    private static func outcome(
        of auth: PusherAuth?, for job: PusherAuthorizeJob, _ connection: PusherConnection?
    ) -> Outcome {
        guard let auth else { return .failure(.noAuthorization) }
        let isUser = connection?.truth.values.wantsUser ?? false
        if PusherChannelType.isPresenceChannel(name: job.channel) && auth.channelData == nil && !isUser {
            return .failure(.noChannelData)
        }
        return .success(
            PusherAuthorization(auth: auth.auth, channelData: auth.channelData, sharedSecret: auth.sharedSecret))
    }
}

// The methods that authorise a channel.
extension AuthorizationRunner {
    /// Calls the app's request builder or authoriser. Runs on the callback queue.
    private func askApp(for job: PusherAuthorizeJob, _ pending: PendingAuthorization) {
        guard !pending.isOver, let connection = state.withLockedValue({ $0.connection }) else { return }
        switch connection.options.authMethod {
        case .authRequestBuilder(let builder):
            guard let request = builder.request(for: job).flatMap({ AuthorizationRequest($0) }) else {
                pending.finish(.failure(.noRequest))
                return
            }
            send(request, for: job, connection, pending)
        case .authorizer(let authorizer):
            authorizer.fetchAuthValue(socketID: job.socketID, channelName: job.channel) { [weak connection] auth in
                if auth == nil { connection?.logLater(.error, .noAuthorization) }
                pending.finish(Self.outcome(of: auth, for: job, connection))
            }
        case .endpoint, .inline, .noMethod:
            // The app has changed `authMethod` after this authorisation was started, so it fails.
            pending.finish(.failure(.noMethod))
        }
    }

    /// Sends a request to an authorisation endpoint. If the app has set ``PusherClientOptions/authHeadersProvider`` or
    /// ``PusherClientOptions/authParamsProvider``, these closures are called on the callback queue.
    func ask(endpoint text: String, for job: PusherAuthorizeJob, _ pending: PendingAuthorization) {
        guard let connection = state.withLockedValue({ $0.connection }) else { return }
        guard let url = URL(string: text), url.scheme != nil, url.host != nil else {
            pending.finish(.failure(.badEndpoint))
            return
        }
        let channel = job.purpose == .user ? nil : job.channel
        guard connection.options.hasAuthProviders else {
            let extras = EndpointExtras(connection.options)
            send(
                AuthorizationRequest(endpoint: url, socketID: job.socketID, channel: channel, extras: extras), for: job,
                connection, pending)
            return
        }
        queue.async { [weak self, weak connection] in
            guard !pending.isOver, let self, let connection else { return }
            let extras = EndpointExtras(asking: connection.options)
            send(
                AuthorizationRequest(endpoint: url, socketID: job.socketID, channel: channel, extras: extras), for: job,
                connection, pending)
        }
    }

    func send(
        _ request: AuthorizationRequest, for job: PusherAuthorizeJob, _ connection: PusherConnection,
        _ pending: PendingAuthorization
    ) {
        #if WITHOUT_FOUNDATION_NETWORKING
            let http = self.http
        #else
            let session = connection.URLSession
            let http = session === PusherURLSession.shared ? self.http : URLSessionHTTP(session: session)
        #endif
        let limit = job.limit ?? connection.requestTimeout
        let cancel = http.send(request, within: limit, maximumBody: AuthorizationAnswer.maximumBody) { result in
            switch result {
            case .failure(let failure):
                pending.finish(.failure(SubscriptionProblem(failure)))
            case .success(let response):
                pending.finish(
                    AuthorizationAnswer.read(response).mapError { failure in
                        SubscriptionProblem(failure, response: response.urlResponse(to: request.url), body: response.body)
                    })
            }
        }
        pending.onCancel(cancel)
    }

    /// Signs the subscription in this process. If the app has a `userDataFetcher`, it is called on the callback queue.
    private func sign(
        _ job: PusherAuthorizeJob, secret: String, _ connection: PusherConnection, _ pending: PendingAuthorization
    ) {
        let signer = InlineSigner(key: connection.key, secret: secret)
        guard PusherChannelType.isPresenceChannel(name: job.channel), connection.userDataFetcher != nil else {
            pending.finish(signer.authorize(job, member: nil))
            return
        }
        queue.async { [weak connection] in
            guard !pending.isOver, let connection else { return }
            pending.finish(signer.authorize(job, member: connection.userDataFetcher?()))
        }
    }
}

extension AuthRequestBuilderProtocol {
    fileprivate func request(for job: PusherAuthorizeJob) -> URLRequest? {
        #if canImport(ObjectiveC)
            requestFor?(socketID: job.socketID, channelName: job.channel) ?? nil
        #else
            requestFor(socketID: job.socketID, channelName: job.channel)
        #endif
    }
}
