import ConnectionEngine
import Foundation
import PusherProtocol

/// What an endpoint's answer says. Rules PA-31 and PA-32.
enum AuthorizationAnswer {
    /// The most of an answer that is read, in bytes.
    static let maximumBody = 1_048_576

    static func read(_ response: AuthorizationResponse) -> Result<PusherAuthorization, ConnectionFailure> {
        guard response.status == 200 || response.status == 201 else {
            return .failure(
                ConnectionFailure(
                    category(of: response.status), "The authorisation endpoint answered with HTTP \(response.status).",
                    origin: .server, httpStatus: response.status, retryAfter: retryAfter(response)))
        }
        let object = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        guard let auth = object?["auth"] as? String else {
            return .failure(
                ConnectionFailure(
                    .malformedResponse, "The authorisation endpoint's answer is no JSON object with a text `auth`.",
                    origin: .server, httpStatus: response.status))
        }
        return .success(
            PusherAuthorization(
                auth: auth, channelData: object?["channel_data"] as? String, sharedSecret: object?["shared_secret"] as? String,
                userData: object?["user_data"] as? String))
    }

    private static func category(of status: Int) -> StatusCategory {
        switch status {
        case 400: .badRequest
        case 401, 403: .accessDenied
        case 414: .requestTooLong
        case 429, 503: .overloaded
        default: .unknown
        }
    }

    private static func retryAfter(_ response: AuthorizationResponse) -> Duration? {
        let header = response.headers.first { $0.name.lowercased() == "retry-after" }
        return header.flatMap { Int($0.value) }.map { .seconds(min(max($0, 0), 86_400)) }
    }
}
