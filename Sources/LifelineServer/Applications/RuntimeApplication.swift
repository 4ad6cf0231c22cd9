import ServerStorage
import WireCoding

/// An application that was made at run time, in its stored form (rules AR-4 and AR-10).
package struct RuntimeApplication: Hashable, Sendable {
    /// The application with both secrets, even if the former secret has expired.
    package private(set) var stored: ServedApplication
    /// The settings with the names of a configuration file, without the secrets and `enabled`.
    package private(set) var settings: JSONValue
    /// When the former secret expires, in seconds since 1970; nil for a rotation without a deadline.
    package private(set) var previousEnds: Int?
    /// When the application was made, in seconds since 1970.
    package let created: Int
    /// When the application was last changed, in seconds since 1970.
    package private(set) var changed: Int

    package init(
        _ stored: ServedApplication, settings: JSONValue, previousEnds: Int? = nil, created: Int, changed: Int? = nil
    ) {
        self.stored = stored
        self.settings = settings
        self.previousEnds = previousEnds
        self.created = created
        self.changed = changed ?? created
    }

    package var id: ApplicationID { stored.id }

    /// Whether two secrets are valid at a time, given in seconds since 1970.
    package func isRotating(at now: Int) -> Bool {
        stored.previousSecret != nil && previousEnds.map { now < $0 } ?? true
    }

    /// The application as the server uses it at a time: without a former secret that has expired.
    package func served(at now: Int) -> ServedApplication {
        isRotating(at: now) ? stored : stored.with(secret: stored.secret, previous: nil)
    }

    /// Makes another secret the current one. The former secret stays valid until `end` (seconds since 1970), or until the rotation is
    /// finished.
    mutating func rotate(to secret: Secret, until end: Int?, at now: Int) {
        stored = stored.with(secret: secret, previous: stored.secret)
        (previousEnds, changed) = (end, now)
    }

    /// Ends the validity of the former secret.
    mutating func finishRotation(at now: Int) {
        stored = stored.with(secret: stored.secret, previous: nil)
        (previousEnds, changed) = (nil, now)
    }

    /// Replaces the settings, and the application that was read from them.
    mutating func set(_ stored: ServedApplication, settings: JSONValue, at now: Int) {
        (self.stored, self.settings, changed) = (stored, settings, now)
    }

    mutating func enable(_ isEnabled: Bool, at now: Int) {
        stored = stored.with(isEnabled: isEnabled)
        changed = now
    }
}
