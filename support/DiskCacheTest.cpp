//===- DiskCacheTest.cpp - bytes come back whole or not at all --------------===//
#include "support/DiskCache.h"

#include "support/testing/Environment.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

namespace pumice {
namespace {

namespace fs = std::filesystem;
using testing_support::Variable;
using Bytes = std::vector<uint8_t>;

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = "pumice-cache-" + std::to_string(std::random_device()());
    parent = fs::temp_directory_path() / name;
    ASSERT_TRUE(fs::create_directory(parent)) << parent;
  }
  void TearDown() override { fs::remove_all(parent); }
  fs::path file(std::string_view name) { return parent / "cache" / "code" / name; }

  fs::path parent;
};

TEST_F(DiskCacheTest, KeepsBytesForTheirOwnerOnly) {
  DiskCache cache(parent / "cache");
  EXPECT_FALSE(cache.read("code", "a"));
  EXPECT_TRUE(cache.write("code", "a", Bytes{1, 2, 3}).isOk());
  EXPECT_TRUE(cache.write("code", "empty", Bytes{}).isOk());
  EXPECT_EQ(cache.read("code", "a"), (Bytes{1, 2, 3}));
  EXPECT_EQ(cache.read("code", "empty"), Bytes{});
  EXPECT_TRUE(cache.write("code", "a", Bytes(1000, 7)).isOk());
  EXPECT_EQ(cache.read("code", "a"), Bytes(1000, 7));
#ifndef _WIN32 // files have access control lists there
  EXPECT_EQ(fs::status(parent / "cache").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(parent / "cache" / "code").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file("a.cache")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
#endif
}

#ifndef _WIN32
TEST_F(DiskCacheTest, FoldersThatOthersMayWriteAreNotUsed) {
  DiskCache cache(parent / "cache");
  ASSERT_TRUE(cache.write("code", "a", Bytes{1, 2, 3}).isOk());
  for (const fs::path &place : {parent / "cache" / "code", file("a.cache")}) {
    for (fs::perms other : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(place, other, fs::perm_options::add);
      EXPECT_FALSE(cache.read("code", "a")) << place;
      fs::permissions(place, other, fs::perm_options::remove);
      EXPECT_EQ(cache.read("code", "a"), (Bytes{1, 2, 3})) << place;
    }
  }
  fs::permissions(parent / "cache" / "code", fs::perms::others_write, fs::perm_options::add);
  Status refused = cache.write("code", "b", Bytes{1});
  EXPECT_EQ(refused.code(), StatusCode::Unsupported);
  EXPECT_NE(refused.message().find("can be written by other users"), std::string::npos)
      << refused.message();
  EXPECT_FALSE(fs::exists(file("b.cache")));
}
#endif

TEST_F(DiskCacheTest, NoDamagedByteIsRead) {
  DiskCache cache(parent / "cache");
  Bytes written(37, 9);
  ASSERT_TRUE(cache.write("code", "a", written).isOk());
  auto size = fs::file_size(file("a.cache"));
  for (uint64_t at = 0; at < size; ++at) {
    {
      std::fstream stream(file("a.cache"), std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(static_cast<std::streamoff>(at));
      char byte = static_cast<char>(stream.get() ^ 0x40);
      stream.seekp(static_cast<std::streamoff>(at));
      stream.put(byte);
    }
    EXPECT_FALSE(cache.read("code", "a")) << "byte " << at;
    EXPECT_FALSE(fs::exists(file("a.cache")));
    ASSERT_TRUE(cache.write("code", "a", written).isOk());
    fs::resize_file(file("a.cache"), at);
    EXPECT_FALSE(cache.read("code", "a")) << "cut to " << at;
    ASSERT_TRUE(cache.write("code", "a", written).isOk());
  }
}

TEST_F(DiskCacheTest, TheLeastRecentlyUsedIsRemoved) {
  DiskCache cache(parent / "cache", 3500);
  for (const char *name : {"a", "b", "c"}) {
    ASSERT_TRUE(cache.write("code", name, Bytes(1000, 1)).isOk());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(cache.read("code", "a")); // now b is the least recently used
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(cache.write("other", "d", Bytes(1000, 1)).isOk());
  EXPECT_FALSE(cache.read("code", "b"));
  EXPECT_TRUE(cache.read("code", "a"));
  EXPECT_TRUE(cache.read("other", "d"));
  EXPECT_TRUE(cache.write("code", "huge", Bytes(4000, 1)).isOk());
  EXPECT_FALSE(cache.read("code", "huge"));
  EXPECT_TRUE(cache.read("code", "a"));
}

TEST_F(DiskCacheTest, ListsAndClearsItsOwnFilesOnly) {
  DiskCache cache(parent / "cache");
  ASSERT_TRUE(cache.write("code", "a", Bytes(10, 1)).isOk());
  ASSERT_TRUE(cache.write("maps", "b", Bytes(20, 1)).isOk());
  std::ofstream(file("notes.txt")) << "the user's";
  std::vector<DiskCache::Entry> entries = cache.list();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(cache.clear(), entries[0].bytes + entries[1].bytes);
  EXPECT_TRUE(cache.list().empty());
  EXPECT_TRUE(fs::exists(file("notes.txt")));
}

TEST_F(DiskCacheTest, FilesOfOthersAreNeitherCountedNorRemoved) {
  DiskCache cache(parent / "cache");
  ASSERT_TRUE(cache.write("code", "a", Bytes(10, 1)).isOk());
  fs::create_directories(parent / "cache" / "foo" / "deep");
  std::vector<fs::path> others = {file("mynotes.cache"), parent / "cache" / "foo" / "a.cache",
                                  file(".new-0123"), file(".new-0123456789abcdef"),
                                  parent / "cache" / "foo" / "deep" / ".new-1"};
  auto longAgo = fs::file_time_type::clock::now() - std::chrono::hours(48);
  for (const fs::path &other : others) {
    std::ofstream(other) << "the user's";
    fs::last_write_time(other, longAgo);
  }
  for (const char *abandoned : {".new-00000000000000aa", ".new-00000000000000bb"}) {
    fs::copy_file(file("a.cache"), file(abandoned));
    if (abandoned[20] == 'b')
      fs::resize_file(file(abandoned), 0);
    fs::last_write_time(file(abandoned), longAgo);
  }
  EXPECT_EQ(cache.list().size(), 1u);
  DiskCache(parent / "cache", 0).trim();
  EXPECT_TRUE(cache.list().empty());
  EXPECT_EQ(cache.clear(), 0u);
  for (const fs::path &other : others)
    EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_FALSE(fs::exists(file(".new-00000000000000aa")));
  EXPECT_FALSE(fs::exists(file(".new-00000000000000bb")));
}

TEST_F(DiskCacheTest, LinkedFoldersAreNotFollowed) {
  DiskCache cache(parent / "cache", 1 << 20), elsewhere(parent / "elsewhere");
  ASSERT_TRUE(cache.write("code", "a", Bytes(10)).isOk());
  ASSERT_TRUE(elsewhere.write("code", "b", Bytes(10)).isOk());
  std::error_code error;
  fs::create_directory_symlink(parent / "elsewhere" / "code", parent / "cache" / "linked", error);
  if (error || !fs::exists(parent / "cache" / "linked"))
    GTEST_SKIP() << "links to folders cannot be made here: " << error.message();
  EXPECT_EQ(cache.list().size(), 1u);
  cache.clear();
  EXPECT_TRUE(cache.list().empty());
  EXPECT_TRUE(elsewhere.read("code", "b"));
  DiskCache(parent / "cache", 0).trim();
  EXPECT_TRUE(elsewhere.read("code", "b"));
  EXPECT_TRUE(fs::exists(parent / "cache" / "linked"));
}

TEST_F(DiskCacheTest, NamesThatLeaveTheFolderAreRefused) {
  DiskCache cache(parent / "cache");
  for (const char *name : {"", "..", "../a", "a/b", ".hidden", "a b"}) {
    EXPECT_EQ(cache.write("code", name, Bytes{1}).code(), StatusCode::InvalidArgument) << name;
    EXPECT_EQ(cache.write(name, "a", Bytes{1}).code(), StatusCode::InvalidArgument) << name;
    EXPECT_FALSE(cache.read("code", name)) << name;
  }
}

TEST_F(DiskCacheTest, KeysOfAnyContent) {
  DiskCache cache(parent / "cache");
  const std::string key("../a\0b", 6), other("../a\0c", 6);
  EXPECT_FALSE(cache.readKeyed("code", key));
  ASSERT_TRUE(cache.writeKeyed("code", key, Bytes{1, 2}).isOk());
  EXPECT_EQ(cache.readKeyed("code", key), Bytes({1, 2}));
  EXPECT_FALSE(cache.readKeyed("code", other));
  // A file that belongs to another key, because the names are equal, is not used.
  std::string name = cache.list().at(0).name;
  ASSERT_TRUE(cache.write("code", name, Bytes{9, 9, 9, 9, 9, 9, 9}).isOk());
  EXPECT_FALSE(cache.readKeyed("code", key));
}

TEST_F(DiskCacheTest, WritersAndReadersAtOnce) {
  DiskCache cache(parent / "cache");
  std::vector<std::thread> threads;
  for (uint8_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(cache.write("code", "a", Bytes(2000 + t, t)).isOk());
        std::optional<Bytes> read = cache.read("code", "a");
#ifdef _WIN32 // a file cannot be opened while it is replaced
        if (!read)
          continue;
#endif
        ASSERT_TRUE(read);
        EXPECT_EQ(*read, Bytes(2000 + read->front(), read->front()));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(DiskCacheTest, AFolderThatCannotBeWritten) {
  std::ofstream(parent / "cache") << "a file stands in the way";
  DiskCache cache(parent / "cache");
  Status status = cache.write("code", "a", Bytes{1});
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("PUMICE_CACHE_DIR"), std::string::npos);
  EXPECT_FALSE(cache.read("code", "a"));
  EXPECT_TRUE(cache.list().empty());
}

TEST_F(DiskCacheTest, TheEnvironmentNamesTheFolder) {
#ifdef _WIN32
  constexpr char xdgFolder[] = "C:\\xdg", homeName[] = "LOCALAPPDATA", home[] = "C:\\me";
  const fs::path inXdg = "C:\\xdg\\pumice", inHome = "C:\\me\\pumice";
#else
  constexpr char xdgFolder[] = "/xdg", homeName[] = "HOME", home[] = "/home/me";
  const fs::path inXdg = "/xdg/pumice", inHome = "/home/me/.cache/pumice";
#endif
  Variable off("PUMICE_CACHE", nullptr), limit("PUMICE_CACHE_LIMIT", "5M"),
      named("PUMICE_CACHE_DIR", "/named"), xdg("XDG_CACHE_HOME", xdgFolder), own(homeName, home);
  EXPECT_EQ(DiskCache::open()->folder(), "/named");
  EXPECT_EQ(DiskCache::open()->limitBytes(), 5u << 20);
  Variable unnamed("PUMICE_CACHE_DIR", nullptr);
  EXPECT_EQ(DiskCache::open()->folder(), inXdg);
  Variable relative("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(DiskCache::open()->folder(), inHome);
  Variable wrong("PUMICE_CACHE_LIMIT", "many");
  EXPECT_EQ(DiskCache::open().status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(DiskCache::openIfAny().status().code(), StatusCode::InvalidArgument);
  Variable right("PUMICE_CACHE_LIMIT", "1G");
  {
    Variable strange("PUMICE_CACHE", "foo");
    EXPECT_EQ(DiskCache::openIfAny().status().message(),
              "PUMICE_CACHE is 'foo'; expected on or off; PUMICE_CACHE_DIR names the folder");
  }
  {
    Variable on("PUMICE_CACHE", "on");
    EXPECT_TRUE(DiskCache::openIfAny().value());
  }
  Variable switchedOff("PUMICE_CACHE", "off");
  EXPECT_EQ(DiskCache::open().status().code(), StatusCode::Unsupported);
  EXPECT_FALSE(DiskCache::openIfAny().value());
}

TEST(ByteSize, NumbersWithUnits) {
  EXPECT_EQ(parseByteSize("123"), 123u);
  EXPECT_EQ(parseByteSize("2K"), 2048u);
  EXPECT_EQ(parseByteSize("3G"), uint64_t(3) << 30);
  for (const char *text : {"", "K", "-1", "1.5G", "1KB", "99999999999G"})
    EXPECT_FALSE(parseByteSize(text)) << text;
}

} // namespace
} // namespace pumice
