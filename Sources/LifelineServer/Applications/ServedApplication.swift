import Identifiers
import ServerStorage

/// The services that have applications. The raw values are their names in the API of the admin port.
package enum ApplicationService: String, CaseIterable, Hashable, Sendable {
    case pusher, pubnub, chat
}

/// Identifies an application: its service, and its id (Pusher), subscribe key (PubNub) or key (chat).
package struct ApplicationID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let service: ApplicationService
    package let name: Identifier

    package init(_ service: ApplicationService, _ name: Identifier) {
        self.service = service
        self.name = name
    }

    package init(_ service: ApplicationService, _ name: String) { self.init(service, Identifier(name)) }

    /// Parses a text with the form of ``description``; nil for other texts.
    package init?(_ text: Identifier) {
        let parts = text.text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let service = parts.first.flatMap({ ApplicationService(rawValue: String($0)) }),
            let name = parts.last, !name.isEmpty
        else { return nil }
        self.init(service, Identifier(name))
    }

    /// Service and name, such as `pusher/1001`. This is also the name of the entry in the store.
    package var description: String { "\(service.rawValue)/\(name.text)" }

    package static func < (left: ApplicationID, right: ApplicationID) -> Bool {
        (left.service.rawValue, left.name) < (right.service.rawValue, right.name)
    }
}

/// An application of any service, in the form that connections and requests use.
package enum ServedApplication: Hashable, Sendable {
    case pusher(Application)
    case pubnub(Keyset)
    case chat(ChatApplication)

    package var id: ApplicationID {
        switch self {
        case .pusher(let application): ApplicationID(.pusher, application.id)
        case .pubnub(let keyset): ApplicationID(.pubnub, keyset.subscribeKey)
        case .chat(let application): ApplicationID(.chat, application.key)
        }
    }

    /// A value that no other application of the service may have in the same field.
    package struct UniqueName: Hashable, Sendable {
        package let service: ApplicationService
        /// The name of the field: `id`, `key`, `publishKey` or `subscribeKey`.
        package let field: Field
        package let value: Identifier

        package enum Field: String, Hashable, Sendable {
            case id, key, publishKey, subscribeKey
        }

        fileprivate init(_ service: ApplicationService, field: Field, value: String) {
            (self.service, self.field, self.value) = (service, field, Identifier(value))
        }
    }

    package var uniqueNames: [UniqueName] {
        switch self {
        case .pusher(let application):
            [UniqueName(.pusher, field: .id, value: application.id), UniqueName(.pusher, field: .key, value: application.key)]
        case .pubnub(let keyset):
            [
                UniqueName(.pubnub, field: .subscribeKey, value: keyset.subscribeKey),
                UniqueName(.pubnub, field: .publishKey, value: keyset.publishKey),
            ]
        case .chat(let application): [UniqueName(.chat, field: .key, value: application.key)]
        }
    }

    /// The public key that clients use; for PubNub the publish key.
    package var key: String {
        switch self {
        case .pusher(let application): application.key
        case .pubnub(let keyset): keyset.publishKey
        case .chat(let application): application.key
        }
    }

    package var secret: Secret {
        switch self {
        case .pusher(let application): application.secret
        case .pubnub(let keyset): keyset.secretKey
        case .chat(let application): application.secret
        }
    }

    package var previousSecret: Secret? {
        switch self {
        case .pusher(let application): application.previousSecret
        case .pubnub(let keyset): keyset.previousSecretKey
        case .chat(let application): application.previousSecret
        }
    }

    package var isEnabled: Bool {
        switch self {
        case .pusher(let application): application.isEnabled
        case .pubnub(let keyset): keyset.isEnabled
        case .chat(let application): application.isEnabled
        }
    }

    /// The same application with other secrets.
    package func with(secret: Secret, previous: Secret?) -> ServedApplication {
        switch self {
        case .pusher(var application):
            (application.secret, application.previousSecret) = (secret, previous)
            return .pusher(application)
        case .pubnub(var keyset):
            (keyset.secretKey, keyset.previousSecretKey) = (secret, previous)
            return .pubnub(keyset)
        case .chat(var application):
            (application.secret, application.previousSecret) = (secret, previous)
            return .chat(application)
        }
    }

    /// The same application, enabled or disabled.
    package func with(isEnabled: Bool) -> ServedApplication {
        switch self {
        case .pusher(var application):
            application.isEnabled = isEnabled
            return .pusher(application)
        case .pubnub(var keyset):
            keyset.isEnabled = isEnabled
            return .pubnub(keyset)
        case .chat(var application):
            application.isEnabled = isEnabled
            return .chat(application)
        }
    }
}
