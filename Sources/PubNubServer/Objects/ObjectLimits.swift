/// How much App Context a keyset may have (rule PO-10). Whatever goes beyond it is refused and changes nothing.
struct ObjectLimits: Hashable, Sendable {
    /// Users, and channels, with metadata.
    var entities = 100_000
    /// Memberships of all users.
    var memberships = 200_000
    var perUser = 1000
    var perChannel = 100_000
    /// Ids, texts and own fields of everything, in bytes.
    var bytes = 128 << 20
    /// Memberships that one call changes.
    var perCall = 200
    /// Bytes of a text.
    var text = 2048
    /// Bytes of the texts and own fields of a user, a channel or a membership.
    var record = 32_768
    /// Bytes of the events that one change leads to: a user's change is told on that many of the user's channels.
    var eventBytes = 4 << 20
    /// Elements of a page, and its bytes: a page has one element in any case.
    var page = 100
    var pageBytes = 1 << 20
    /// The greatest cost of a filter for all elements together, counted as ``PubNubFilterSubject/work``.
    var filterWork = 256 << 20
    /// Elements up to which a list is filtered and sorted at once; longer ones wait for each other.
    var shortList = 1000
    /// Lists that wait for each other, and changes that wait for the store.
    var waiting = 1000
    var waitingLists = 64
}
