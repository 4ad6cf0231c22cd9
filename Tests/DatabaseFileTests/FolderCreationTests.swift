import Testing

@testable import DatabaseFile

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("CD-61: the folder of the database")
struct FolderCreationTests {
    /// A file system in which only folders below `/app` may be made.
    private func create(_ path: String, folders: Set<String>, files: Set<String> = [], refusal: Int32) -> (Int32?, made: [String])
    {
        var (folders, made) = (folders, [String]())
        let number = FolderCreation.create(
            path,
            isFolder: { folders.contains($0) ? true : files.contains($0) ? false : nil },
            make: { place in
                if !place.hasPrefix("/app/") { return refusal }
                if folders.contains(place) { return EEXIST }
                folders.insert(place)
                made.append(place)
                return 0
            })
        return (number, made)
    }

    @Test(
        "A sandbox that refuses the folders above does not keep the one below from being made", arguments: [EPERM, EACCES, EROFS])
    func sandbox(_ refusal: Int32) {
        let (number, made) = create("/var/app/../app", folders: [], refusal: refusal)
        #expect(number == refusal && made.isEmpty)
        let (inside, folders) = create("/app/data/chat", folders: ["/app"], refusal: refusal)
        #expect(inside == nil && folders == ["/app/data", "/app/data/chat"])
    }

    @Test("A folder that is there is left alone, and nothing above it is touched")
    func there() {
        var asked = 0
        let number = FolderCreation.create(
            "/app/data", isFolder: { _ in true },
            make: { _ in
                asked += 1; return EIO
            })
        #expect(number == nil && asked == 0)
    }

    @Test("A file in the place of the folder, and an error that is no refusal, are named")
    func errors() {
        #expect(create("/app/file", folders: ["/app"], files: ["/app/file"], refusal: EPERM).0 == ENOTDIR)
        #expect(FolderCreation.create("/app/x", isFolder: { _ in nil }, make: { _ in ENOSPC }) == ENOSPC)
    }
}
