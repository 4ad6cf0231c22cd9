import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PusherProtocol
import WireCoding

/// Authorises channels with the method that a client's ``PusherAccess`` specifies.
final class PusherAuthorizer: JobRunner {
    typealias Session = PusherSession
    typealias Completion = @Sendable (Result<PusherAuthorization, ConnectionFailure>) -> Void

    let settings: PusherSettings
    let http: any HTTPSending
    /// How long an endpoint may take to answer. The session waits for the authorisation for the same time.
    let limit: Duration
    let tasks: TaskStarter
    /// The source of header fields for the channel endpoint; nil for fixed fields.
    let channelHeaders: TokenSource<[String: String]>?
    /// The source of header fields for the user endpoint; nil for fixed fields.
    let userHeaders: TokenSource<[String: String]>?

    init(
        settings: PusherSettings, http: any HTTPSending, limit: Duration,
        tasks: TaskStarter = .plain, channelHeaders: TokenSource<[String: String]>? = nil,
        userHeaders: TokenSource<[String: String]>? = nil
    ) {
        self.channelHeaders = channelHeaders
        self.userHeaders = userHeaders
        self.settings = settings
        self.http = http
        self.limit = limit
        self.tasks = tasks
    }

    func start(_ job: PusherAuthorizeJob, completion: @escaping Completion) -> JobCancellation {
        if job.purpose == .user { return startUser(job.socketID, completion: completion) }
        switch settings.access.kind {
        case .none:
            let reason =
                "Channel \(job.channel) needs an authorisation. Pass a secret, an endpoint or your own code as `access` to `pusher(…)`."
            completion(.failure(ConnectionFailure(.accessDenied, reason)))
            return {}
        case .secret(let credentials):
            completion(Result { () throws(ConnectionFailure) in try sign(job, with: credentials) })
            return {}
        case .endpoint(let url, let headers):
            let (http, limit, source) = (http, limit, channelHeaders)
            return run(completion) { () async throws(ConnectionFailure) in
                let answer = try await Self.ask(headers, source, by: http, within: limit) {
                    Self.request(job, url: url, headers: $0)
                }
                return try Self.grant(in: answer)
            }
        case .custom(let authorize):
            return run(completion) { () async throws(ConnectionFailure) in
                do {
                    let grant = try await authorize(PusherAccess.Request(channel: job.channel, socketID: job.socketID))
                    return PusherAuthorization(
                        auth: grant.auth, channelData: grant.channelData, sharedSecret: grant.sharedSecret)
                } catch {
                    throw Self.failure(of: error)
                }
            }
        }
    }

    func run(
        _ completion: @escaping Completion,
        _ body: @escaping @Sendable () async throws(ConnectionFailure) -> PusherAuthorization
    ) -> JobCancellation {
        let task = tasks.start {
            let result: Result<PusherAuthorization, ConnectionFailure>
            do throws(ConnectionFailure) {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            completion(result)
        }
        return { task.cancel() }
    }
}

extension PusherAuthorizer {
    /// Signs an authorisation with the client's own copy of the app's secret (rule LL-12).
    private func sign(
        _ job: PusherAuthorizeJob, with credentials: PusherCredentials
    ) throws(ConnectionFailure) -> PusherAuthorization {
        let access = PusherChannelKind(of: job.channel).access
        let channelData = access == .presence ? try channelData(for: job.channel) : nil
        var sharedSecret: String?
        if access == .encrypted {
            guard let key = credentials.sharedSecret(of: job.channel) else {
                throw ConnectionFailure(
                    .badRequest,
                    "Channel \(job.channel) is encrypted: pass a master key of 32 bytes in base64 as `encryptionMasterKey`.")
            }
            sharedSecret = PusherAccess.base64(key)
        }
        return PusherAuthorization(
            auth: PusherSignature.channelAuth(
                socketID: job.socketID, channel: job.channel, channelData: channelData, key: settings.key,
                secret: credentials.secret),
            channelData: channelData, sharedSecret: sharedSecret)
    }

    private func channelData(for channel: String) throws(ConnectionFailure) -> String {
        guard let user = settings.user, !user.id.isEmpty else {
            throw ConnectionFailure(.badRequest, "Presence channel \(channel) needs a user id: pass `user` to `pusher(…)`.")
        }
        if let info = user.info, (try? JSONText(info)) == nil {
            throw ConnectionFailure(
                .badRequest, "The user's info is not JSON: `info` of `user` in `pusher(…)` must be JSON text.")
        }
        return PusherMember(userID: user.id, infoJSON: user.info).json
    }

    /// Makes the request to an authorisation endpoint: a form with the socket id and the channel, as in the Pusher documentation,
    /// Authorizing users.
    static func request(_ job: PusherAuthorizeJob, url: String, headers: [String: String]) -> HTTPCall {
        let form = "socket_id=\(PercentEncoding.encode(job.socketID))&channel_name=\(PercentEncoding.encode(job.channel))"
        return request(form: form, url: url, headers: headers)
    }

    static func request(form: String, url: String, headers: [String: String]) -> HTTPCall {
        var all = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
        // Rule LL-70.
        if !all.contains(where: { $0.name.lowercased() == "content-type" }) {
            all.append(HTTPField("Content-Type", "application/x-www-form-urlencoded"))
        }
        return HTTPCall(method: "POST", url: url, headers: all, body: Array(form.utf8))
    }

    static func grant(in answer: HTTPCallAnswer) throws(ConnectionFailure) -> PusherAuthorization {
        if let failure = answer.failure { throw failure }
        guard let grant = try? JSONText(bytes: answer.body), let auth = grant["auth"]?.string else {
            throw ConnectionFailure(
                .malformedResponse, "The authorisation endpoint's answer is not a JSON object with a field auth.", origin: .server
            )
        }
        return PusherAuthorization(
            auth: auth, channelData: grant["channel_data"]?.string, sharedSecret: grant["shared_secret"]?.string)
    }

    /// Translates an error of the app's authorisation code. The error's text is left out, because it may contain secrets.
    static func failure(of error: any Error) -> ConnectionFailure {
        switch error {
        case let error as LifelineError:
            ConnectionFailure(StatusCategory(rawValue: error.code.rawValue), error.reason)
        case is CancellationError:
            ConnectionFailure(.cancelled, "The app's authorisation code was cancelled before it returned.")
        default:
            ConnectionFailure(
                .unknown,
                "The app's authorisation code failed with an error of type \(type(of: error)). Log the error in that code: its text is "
                    + "left out here, because it may contain secrets.")
        }
    }
}
