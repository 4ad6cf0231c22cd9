import ConnectionEngine
import Foundation
import PusherProtocol
import TransportCommon

/// Reads an authorisation endpoint's answer (rules PA-31 and PA-32).
enum AuthorizationAnswer {
    /// The longest body of an answer that is accepted, in bytes.
    static let maximumBody = 1_048_576

    /// Returns the authorisation in an answer, or why it contains none.
    ///
    /// - Parameter unixTime: the time of day in seconds since 1970, for a `Retry-After` that is a date.
    static func read(
        _ response: AuthorizationResponse, unixTime: Int64 = Int64(Date().timeIntervalSince1970)
    ) -> Result<PusherAuthorization, ConnectionFailure> {
        guard response.status == 200 || response.status == 201 else {
            let elsewhere = (300..<400).contains(response.status) ? "; redirects are not followed" : ""
            return .failure(
                ConnectionFailure(
                    category(of: response.status),
                    "The authorisation endpoint answered with HTTP \(response.status)\(elsewhere).", origin: .server,
                    httpStatus: response.status, retryAfter: retryAfter(response, unixTime: unixTime)))
        }
        let object = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        guard let auth = object?["auth"] as? String else {
            return .failure(
                ConnectionFailure(
                    .malformedResponse, "The authorisation endpoint's answer is not a JSON object with a string `auth`.",
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
        case 414, 431: .requestTooLong
        case 429, 503: .overloaded
        default: .unknown
        }
    }

    private static func retryAfter(_ response: AuthorizationResponse, unixTime: Int64) -> Duration? {
        let header = response.headers.first { $0.name.lowercased() == "retry-after" }
        return header.flatMap { RetryAfter.duration($0.value, unixTime: unixTime) }
    }
}
