import WireCoding

/// A signed-in user.
public struct PusherUser: Hashable, Sendable {
    public var id: String
    /// The JSON text with the user's id and other properties that the application's server has signed.
    public var userData: String

    public init(id: String, userData: String) {
        self.id = id
        self.userData = userData
    }

    /// Parses the text that is signed for a sign-in: an object with a string `id` that is not empty and is short enough for the name of the
    /// user's channel. Nil for any other text. Pusher protocol, user authentication; rule PW-16.
    public init?(parsing userData: String) {
        guard let object = try? JSONText(userData), let id = object["id"]?.string, !id.isEmpty,
            (try? PusherChannelName(PusherChannelName.serverToUser(id))) != nil
        else { return nil }
        self.init(id: id, userData: userData)
    }

    /// Parses the user in the data of `pusher:signin_success`. `user_data` may be text or an object.
    init?(confirmed data: String?) {
        guard let data, let userData = (try? JSONText(data))?["user_data"] else { return nil }
        self.init(parsing: userData.string ?? userData.text)
    }

    /// The name of the channel that reaches all connections of the user.
    public var channel: String { PusherChannelName.serverToUser(id) }
}
