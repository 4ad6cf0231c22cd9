import ConnectionEngine
import EngineRuntime
import HTTPTransport
import PusherProtocol
import WireCoding

// Signing in the user of a connection. Rule LL-31.
extension PusherAuthorizer {
    func startUser(_ socketID: String, completion: @escaping Completion) -> JobCancellation {
        switch settings.signIn?.kind {
        case nil:
            completion(.failure(ConnectionFailure(.accessDenied, "No sign-in is configured: pass `signIn` to `pusher(…)`.")))
            return {}
        case .secret(let watchlist):
            completion(Result { () throws(ConnectionFailure) in try signUser(socketID, watchlist) })
            return {}
        case .endpoint(let url, let headers):
            let (http, limit, source) = (http, limit, userHeaders)
            return run(completion) { () async throws(ConnectionFailure) in
                let form = "socket_id=\(PercentEncoding.encode(socketID))"
                let answer = try await Self.ask(headers, source, by: http, within: limit) {
                    Self.request(form: form, url: url, headers: $0)
                }
                return try Self.userGrant(in: answer)
            }
        case .custom(let authenticate):
            return run(completion) { () async throws(ConnectionFailure) in
                do {
                    let grant = try await authenticate(socketID)
                    return PusherAuthorization(auth: grant.auth, userData: grant.userData)
                } catch {
                    throw Self.failure(of: error)
                }
            }
        }
    }

    private func signUser(_ socketID: String, _ watchlist: [String]) throws(ConnectionFailure) -> PusherAuthorization {
        guard let credentials = settings.access.credentials else {
            throw ConnectionFailure(.badRequest, "Signing in needs the app's secret: pass it as `access` to `pusher(…)`.")
        }
        guard let user = settings.user, !user.id.isEmpty else {
            throw ConnectionFailure(.badRequest, "The sign-in has no user id: pass `user` to `pusher(…)`.")
        }
        guard watchlist.count <= PusherLimits.watchlist else {
            throw ConnectionFailure(
                .badRequest, "The watchlist has \(watchlist.count) users; at most \(PusherLimits.watchlist) are allowed.")
        }
        var data = #"{"id":\#(JSONWriter.string(user.id))"#
        if let info = user.info {
            guard let json = try? JSONText(info) else {
                throw ConnectionFailure(
                    .badRequest, "The user's info is not JSON: `info` of `user` in `pusher(…)` must be JSON text.")
            }
            data += #","user_info":\#(json.text)"#
        }
        if !watchlist.isEmpty {
            data += #","watchlist":[\#(watchlist.map { JSONWriter.string($0) }.joined(separator: ","))]"#
        }
        data += "}"
        return PusherAuthorization(
            auth: PusherSignature.userAuth(
                socketID: socketID, userData: data, key: settings.key, secret: credentials.secret),
            userData: data)
    }

    /// Reads the answer of a user endpoint, in the form of the Pusher documentation, Authenticating users.
    static func userGrant(in answer: HTTPCallAnswer) throws(ConnectionFailure) -> PusherAuthorization {
        if let failure = answer.failure { throw failure }
        guard let grant = try? JSONText(bytes: answer.body), let auth = grant["auth"]?.string,
            let userData = grant["user_data"]?.string
        else {
            throw ConnectionFailure(
                .malformedResponse, "The user endpoint's answer is not a JSON object with the fields auth and user_data.",
                origin: .server
            )
        }
        return PusherAuthorization(auth: auth, userData: userData)
    }
}
