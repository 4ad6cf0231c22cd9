import PusherProtocol
import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A signed authorisation. ``json`` is the body of the answer to the client's request.
public struct PusherGrant: Hashable, Sendable {
    /// The application's key and the signature, joined with a colon.
    public var auth: String
    /// The JSON text about the member that was signed; only for presence channels, nil for others.
    public var channelData: String?
    /// The encryption key of an encrypted channel, in base64; nil for other channels. The channel's subscribers share this secret.
    public var sharedSecret: String?
    /// The JSON text about the user that was signed; only for a sign-in, nil for channels.
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

/// A user for presence channels and sign-ins.
public struct PusherBackendUser: Hashable, Sendable {
    /// The user's id, 1 to 128 characters.
    public var id: String
    /// The data about the user that other users see, as JSON text; nil for none.
    public var infoJSON: String?
    /// The ids of at most 100 other users, whose online status the service reports to this user after the sign-in.
    public var watchlist: [String]

    /// Makes a user, optionally with data as JSON text.
    public init(id: String, infoJSON: String? = nil, watchlist: [String] = []) {
        self.id = id
        self.infoJSON = infoJSON
        self.watchlist = watchlist
    }

    /// Makes a user with data that is encoded as JSON.
    ///
    /// - Throws: `unencodable` when the data cannot be encoded as JSON.
    public init(id: String, info: some Encodable, watchlist: [String] = []) throws(BackendError) {
        self.init(id: id, infoJSON: try BackendError.json(info), watchlist: watchlist)
    }

    func check() throws(BackendError) {
        guard !id.isEmpty, id.unicodeScalars.count <= PusherLimits.userID else {
            throw .badRequest("The user id is invalid: it must have 1 to \(PusherLimits.userID) characters.")
        }
        if let infoJSON, (try? JSONText(infoJSON)) == nil { throw .badRequest("The user's infoJSON is not valid JSON.") }
        guard watchlist.count <= PusherLimits.watchlist else {
            throw .badRequest("The watchlist has \(watchlist.count) user ids; at most \(PusherLimits.watchlist) are allowed.")
        }
    }
}

// Signing authorisations for clients, without a call to the service. Rule BK-5.
extension PusherBackend {
    /// Authorises a connection to subscribe to a private, presence or encrypted channel. Check first that the user is allowed to subscribe.
    ///
    /// - Parameters:
    ///   - channel: `channel_name` of the client's request.
    ///   - socketID: `socket_id` of the client's request. The grant is valid for this connection only.
    ///   - user: the user who subscribes; only for presence channels.
    /// - Throws: `badRequest` for invalid arguments.
    public func authorize(
        channel: String, socketID: String, user: PusherBackendUser? = nil
    ) throws(BackendError) -> PusherGrant {
        try Self.check(socketID: socketID)
        let access = try Self.check(channel: channel).access
        var grant = PusherGrant(auth: "")
        switch access {
        case .normal: throw .badRequest("Channel \(channel) is public and needs no authorisation.")
        case .private: break
        case .presence:
            guard let user else { throw .badRequest("Channel \(channel) is a presence channel: pass the user.") }
            try user.check()
            grant.channelData = PusherMember(userID: user.id, infoJSON: user.infoJSON).json
        case .encrypted: grant.sharedSecret = Data(try sharedKey(of: channel)).base64EncodedString()
        }
        grant.auth = PusherSignature.channelAuth(
            socketID: socketID, channel: channel, channelData: grant.channelData, key: signer.key, secret: signer.secret)
        return grant
    }

    /// Signs a user in on a connection. Authenticate the user first.
    ///
    /// - Throws: `badRequest` for invalid arguments.
    public func authenticate(_ user: PusherBackendUser, socketID: String) throws(BackendError) -> PusherGrant {
        try Self.check(socketID: socketID)
        try user.check()
        var fields: [(String, JSONValue)] = [("id", .string(user.id))]
        if let info = user.infoJSON {
            guard let value = try? JSONValue(parsing: info) else { throw .badRequest("The user's infoJSON is not valid JSON.") }
            fields.append(("user_info", value))
        }
        if !user.watchlist.isEmpty { fields.append(("watchlist", .array(user.watchlist.map { .string($0) }))) }
        let data = Self.object(fields).text
        return PusherGrant(
            auth: PusherSignature.userAuth(socketID: socketID, userData: data, key: signer.key, secret: signer.secret),
            userData: data)
    }
}
