import PusherProtocol
import ServerRuntime
import ServerStorage

/// Authenticates requests. Pusher HTTP API, Authentication (rules SV-8, SV-9, SR-8 to SR-13).
extension RESTService {
    /// The application of a request. Throws unless the request is signed with the application's secret.
    func authenticated(_ request: RESTRequest, _ id: String) throws(HTTPProblem) -> Application {
        guard let application = service.settings.applications.application(id: id) else { throw .unknownApplication }
        return try check(request, application)
    }

    /// The application whose key a request names, for requests without an application in the path (rule SV-10). Throws unless the request
    /// is signed with the application's secret.
    func authenticated(_ request: RESTRequest) throws(HTTPProblem) -> Application {
        guard let key = try request.parameter("auth_key") else { throw .unauthorized("The parameter auth_key is missing.") }
        guard let application = service.settings.applications.application(key: key) else {
            throw .unauthorized("No application has the key that auth_key names.")
        }
        return try check(request, application)
    }

    /// The application of a request, from its path or its key. Throws unless the request is signed with the application's secret.
    func authenticated(_ request: RESTRequest, _ route: PusherRoute) throws(HTTPProblem) -> Application {
        switch route {
        case .webSocket: throw .upgradeRequired
        case .publish(let id), .publishBatch(let id), .channels(let id), .channel(let id, _), .users(let id, _),
            .publishTo(let id, _), .connections(let id):
            return try authenticated(request, id)
        case .terminateConnections(let id, _):
            guard let id else { return try authenticated(request) }
            return try authenticated(request, id)
        }
    }

    private func check(_ request: RESTRequest, _ application: Application) throws(HTTPProblem) -> Application {
        guard application.isEnabled else { throw .disabledApplication }
        guard !request.repeatsParameters else { throw .repeatedParameter }
        let parameters = request.target.parameters.map { (name: $0.name, value: $0.value) }
        let now = service.context.clock.unixSeconds()
        var refusal = PusherRequestSignatureError.wrongSignature
        for path in request.signedPaths(service.context.prefix) {
            do throws(PusherRequestSignatureError) {
                try PusherRequestSignature.check(
                    method: request.method, path: path, parameters: parameters, body: request.body, key: application.key,
                    secrets: application.validSecrets.revealed, now: now)
                return application
            } catch {
                refusal = error
                // Another form of the path can only make a wrong signature valid; it cannot remove any other error.
                guard error == .wrongSignature else { break }
            }
        }
        var problem = HTTPProblem.unauthorized(try advice(refusal, request, now: now))
        if refusal == .wrongSignature { problem.details["signed"] = Self.signed(request) }
        throw problem
    }

    /// The text that the client should have signed, for the log: method, path and parameters in their order (rule SO-150). Values of
    /// parameters that the API does not have are left out, because they may contain anything.
    private static func signed(_ request: RESTRequest) -> String {
        let known: Set = ["auth_key", "auth_timestamp", "auth_version", "body_md5", "filter_by_prefix", "info"]
        let parameters = request.target.parameters.map { parameter in
            let isKnown = known.contains(PusherRequestSignature.lowercased(parameter.name))
            return (name: parameter.name, value: isKnown ? parameter.value : "…")
        }
        let text = PusherRequestSignature.text(method: request.method, path: request.target.rawPath, parameters: parameters)
        return logText(text.utf8, limit: 512)
    }

    /// The error text with advice for the client. The text contains nothing from the request except how far the client's clock is wrong.
    private func advice(
        _ refusal: PusherRequestSignatureError, _ request: RESTRequest, now: Int
    ) throws(HTTPProblem) -> String {
        switch refusal {
        case .timestampOutOfRange:
            guard let seconds = try request.parameter("auth_timestamp").flatMap({ Int($0) }) else {
                return "auth_timestamp has to be the seconds since 1970."
            }
            let (difference, overflow) = seconds.subtractingReportingOverflow(now)
            guard !overflow else { return refusal.description }
            return "The client's clock differs by \(difference.magnitude) s: auth_timestamp is "
                + "\(difference < 0 ? "behind" : "ahead of") the server's clock, and at most \(PusherLimits.timestampWindow) s are accepted."
        case .wrongSignature:
            return refusal.description
                + " Check the secret, and that the method, the path and all parameters are signed as they are sent."
        case .wrongBodyMD5: return refusal.description + " Compute body_md5 over the bytes of the body as they are sent."
        case .unknownKey: return refusal.description + " Check the app id in the path and the key in auth_key."
        case .missing, .unknownVersion: return refusal.description
        }
    }
}
