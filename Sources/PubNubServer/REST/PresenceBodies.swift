/// Encodes the answers of the presence service (rules PV-50 to PV-56).
enum PresenceBodies {
    /// A page of a channel's users, and the details that the request selects.
    struct Users {
        var page: OccupancyPage
        /// Whether users are listed with their state; nil to list no users, only their number.
        var withState: Bool?
    }

    /// The channels with users that an answer lists, the total number of channels with users, and the number of users on these channels.
    struct Channels {
        var listed: [(name: String, users: Users)] = []
        var channelCount = 0
        var occupancy = 0
    }

    static let heartbeat = ok { _ in }

    static let leave = JSONBody.object(isSpaced: true) { body in
        body.member("status", 200)
        body.member("action", "leave")
        body.member("message", "OK")
        body.member("service", "Presence")
    }

    static func hereNow(_ users: Users) -> [UInt8] {
        ok { body in append(users, to: &body) }
    }

    static func hereNow(_ channels: Channels) -> [UInt8] {
        payload { body in
            body.key("channels")
            body.object { body in
                for (name, users) in channels.listed {
                    body.key(name)
                    body.object { body in append(users, to: &body) }
                }
            }
            body.member("total_channels", channels.channelCount)
            body.member("total_occupancy", channels.occupancy)
        }
    }

    static func whereNow(_ channels: [String]) -> [UInt8] {
        payload { body in
            body.key("channels")
            body.strings(channels)
        }
    }

    static func stateSet(_ state: [UInt8]) -> [UInt8] {
        ok { body in
            body.key("payload")
            body.json(state)
        }
    }

    /// The presence state of a user on channels.
    ///
    /// - Parameter isSingle: whether the request names one channel and no group.
    static func state(of user: String, on channels: [(name: String, state: [UInt8]?)], isSingle: Bool) -> [UInt8] {
        JSONBody.object { body in
            body.member("status", 200)
            body.member("uuid", user)
            body.member("service", "Presence")
            body.member("message", "OK")
            body.key("payload")
            if isSingle, let only = channels.first {
                append(only.state, to: &body)
                body.member("channel", only.name)
                return
            }
            body.object { body in
                body.key("channels")
                body.object { body in
                    for (name, state) in channels {
                        body.key(name)
                        append(state, to: &body)
                    }
                }
            }
        }
    }

    private static func append(_ state: [UInt8]?, to body: inout JSONBody) {
        if let state { body.json(state) } else { body.json("{}") }
    }

    private static func append(_ users: Users, to body: inout JSONBody) {
        body.member("occupancy", users.page.occupancy)
        guard let withState = users.withState else { return }
        body.key("uuids")
        body.array { body in
            for occupant in users.page.occupants {
                guard withState else {
                    body.string(occupant.user.text)
                    continue
                }
                body.object { body in
                    body.member("uuid", occupant.user.text)
                    guard let state = occupant.state else { return }
                    body.key("state")
                    body.json(state)
                }
            }
        }
    }

    private static func payload(_ content: (inout JSONBody) -> Void) -> [UInt8] {
        ok { body in
            body.key("payload")
            body.object(content)
        }
    }

    private static func ok(_ content: (inout JSONBody) -> Void) -> [UInt8] {
        JSONBody.object(isSpaced: true) { body in
            body.member("status", 200)
            body.member("message", "OK")
            content(&body)
            body.member("service", "Presence")
        }
    }
}
