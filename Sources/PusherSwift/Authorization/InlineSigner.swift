import ConnectionEngine
import Foundation
import PusherProtocol

/// Signs subscriptions with the app's secret. The app key is used in its original letter case, unlike in PusherSwift 10.1 (rule PA-36).
struct InlineSigner: Sendable {
    let key: String
    let secret: String

    /// Signs the subscription to a channel.
    ///
    /// - Parameter member: the own user on a presence channel; nil to use the socket id as the user id.
    func authorize(_ job: PusherAuthorizeJob, member: PusherPresenceChannelMember?) -> AuthorizationRunner.Outcome {
        guard PusherChannelType.isPresenceChannel(name: job.channel) else {
            return .success(PusherAuthorization(auth: signature(job, channelData: nil)))
        }
        guard let data = Self.channelData(userID: member?.userId ?? job.socketID, userInfo: member?.userInfo) else {
            return .failure(.badUserInfo)
        }
        return .success(PusherAuthorization(auth: signature(job, channelData: data), channelData: data))
    }

    /// Signs the data of a user who signs in.
    func authenticate(
        socketID: String, member: PusherPresenceChannelMember, watchlist: [String]
    ) -> AuthorizationRunner.Outcome {
        var fields = ["\"id\":\(AnyJSON.quote(member.userId))"]
        if let info = member.userInfo {
            guard let text = AnyJSON.encode(info) else { return .failure(.badUserInfo) }
            fields.append("\"user_info\":\(text)")
        }
        if !watchlist.isEmpty, let text = AnyJSON.encode(watchlist) { fields.append("\"watchlist\":\(text)") }
        let userData = "{\(fields.joined(separator: ","))}"
        let auth = PusherSignature.userAuth(socketID: socketID, userData: userData, key: key, secret: secret)
        return .success(PusherAuthorization(auth: auth, userData: userData))
    }

    /// The JSON text that identifies a presence member. It is sent exactly as it was signed. Nil when `userInfo` is not a JSON value.
    static func channelData(userID: String, userInfo: Any?) -> String? {
        let id = "\"user_id\":\(AnyJSON.quote(userID))"
        guard let userInfo else { return "{\(id)}" }
        return AnyJSON.encode(userInfo).map { "{\(id),\"user_info\":\($0)}" }
    }
}

extension InlineSigner {
    private func signature(_ job: PusherAuthorizeJob, channelData: String?) -> String {
        PusherSignature.channelAuth(
            socketID: job.socketID, channel: job.channel, channelData: channelData, key: key, secret: secret)
    }
}
