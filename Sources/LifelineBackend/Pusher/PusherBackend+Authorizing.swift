import PusherProtocol
import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The answer of an authorisation route: ``json`` is its body.
public struct PusherGrant: Hashable, Sendable {
    /// The key and the signature.
    public var auth: String
    /// The signed member of a presence channel.
    public var channelData: String?
    /// The key of an encrypted channel, in base64. A secret that the channel's subscribers share.
    public var sharedSecret: String?
    /// The signed user of a sign-in.
    public var userData: String?

    /// The body of the answer, which has the content type `application/json`.
    public var json: String {
        var fields: [(String, JSONValue)] = [("auth", .string(auth))]
        if let channelData { fields.append(("channel_data", .string(channelData))) }
        if let sharedSecret { fields.append(("shared_secret", .string(sharedSecret))) }
        if let userData { fields.append(("user_data", .string(userData))) }
        return PusherBackend.object(fields).text
    }
}

/// A user, for presence channels and sign-ins.
public struct PusherBackendUser: Hashable, Sendable {
    /// The user's id, 1 to 128 characters.
    public var id: String
    /// The data that others see of the user, as JSON text.
    public var infoJSON: String?
    /// The ids of the users whose online status is reported to the user after the sign-in: at most 100.
    public var watchlist: [String]

    /// A user, optionally with data as JSON text.
    public init(id: String, infoJSON: String? = nil, watchlist: [String] = []) {
        self.id = id
        self.infoJSON = infoJSON
        self.watchlist = watchlist
    }

    /// A user with data that is encoded as JSON.
    ///
    /// - Throws: the error of the call.
    public init(id: String, info: some Encodable, watchlist: [String] = []) throws(BackendError) {
        self.init(id: id, infoJSON: try BackendError.json(info), watchlist: watchlist)
    }

    func check() throws(BackendError) {
        guard !id.isEmpty, id.unicodeScalars.count <= PusherLimits.userID else {
            throw .badRequest("A user id has 1 to \(PusherLimits.userID) characters.")
        }
        if let infoJSON, (try? JSONText(infoJSON)) == nil { throw .badRequest("The user's info is not JSON.") }
        guard watchlist.count <= PusherLimits.watchlist else {
            throw .badRequest("A watchlist has at most \(PusherLimits.watchlist) user ids.")
        }
    }
}

// Signing for clients. No call is made. Rule BK-5.
extension PusherBackend {
    /// Authorises a connection to subscribe to a private, presence or encrypted channel. The backend has to check before that the user
    /// is allowed to.
    ///
    /// - Parameters:
    ///   - channel: `channel_name` of the client's request.
    ///   - socketID: `socket_id` of the client's request. The grant is valid for this connection only.
    ///   - user: for presence channels: the user who subscribes.
    /// - Throws: the error of the call.
    public func authorize(
        channel: String, socketID: String, user: PusherBackendUser? = nil
    ) throws(BackendError) -> PusherGrant {
        try Self.check(socketID: socketID)
        let access = try Self.check(channel: channel).access
        var grant = PusherGrant(auth: "")
        switch access {
        case .normal: throw .badRequest("\(channel) is public and needs no authorisation.")
        case .private: break
        case .presence:
            guard let user else { throw .badRequest("\(channel) is a presence channel: name the user.") }
            try user.check()
            grant.channelData = PusherMember(userID: user.id, infoJSON: user.infoJSON).json
        case .encrypted: grant.sharedSecret = Data(try sharedKey(of: channel)).base64EncodedString()
        }
        grant.auth = PusherSignature.channelAuth(
            socketID: socketID, channel: channel, channelData: grant.channelData, key: signer.key, secret: signer.secret)
        return grant
    }

    /// Signs a user in on a connection. The backend has to authenticate the user before.
    ///
    /// - Throws: the error of the call.
    public func authenticate(_ user: PusherBackendUser, socketID: String) throws(BackendError) -> PusherGrant {
        try Self.check(socketID: socketID)
        try user.check()
        var fields: [(String, JSONValue)] = [("id", .string(user.id))]
        if let info = user.infoJSON {
            guard let value = try? JSONValue(parsing: info) else { throw .badRequest("The user's info is not JSON.") }
            fields.append(("user_info", value))
        }
        if !user.watchlist.isEmpty { fields.append(("watchlist", .array(user.watchlist.map { .string($0) }))) }
        let data = Self.object(fields).text
        return PusherGrant(
            auth: PusherSignature.userAuth(socketID: socketID, userData: data, key: signer.key, secret: signer.secret),
            userData: data)
    }
}
