#!/bin/busybox sh
# The first program of the guest that installs Debian: puts the packages in /packages on the disk, sets them up, and
# makes the disk bootable. What is wanted of it stands in /wanted.sh. Every step says "STEP n/m text" on the console,
# "PACKAGES n" says how often a package has been unpacked or set up so far, and the end is "INSTALLED" or "FAILED why";
# the program that started the guest reads that.
/bin/busybox --install -s /bin
export PATH=/sbin:/bin:/usr/sbin:/usr/bin HOME=/root DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
dmesg -n 1
. /wanted.sh

steps=9
step=0
say() { step=$((step + 1)); echo "STEP $step/$steps $*"; }
fail() { echo "FAILED $*"; [ -f /log ] && tail -n 40 /log; sync; poweroff -f; sleep 60; }
quiet() { "$@" >>/log 2>&1; }
# Waits for a block device. The programs for disks look for it by its number, as udev would have it.
await() {
    n=0
    until [ -b $1 ]; do
        n=$((n + 1)); [ $n -lt 100 ] || fail "$2"
        sleep 0.1
    done
    mkdir -p /dev/block
    for device in /sys/class/block/*; do
        ln -sf ../${device##*/} /dev/block/$(cat $device/dev)
    done
}

say "Preparing the disk"
cd /modules
# Newer releases have them compressed.
for module in *.ko.*; do
    case $module in
    *.xz) quiet unxz $module ;;
    *.gz) quiet gunzip $module ;;
    esac
done
for module in crc32c_generic crc16 mbcache jbd2 ext4 dasd_mod dasd_diag_mod dasd_eckd_mod dasd_fba_mod $MODULES; do
    [ ! -f $module.ko ] || quiet insmod $module.ko || true
done
cd /
# What the formatting programs need, in the RAM disk. Older releases have it below /sbin and /lib, newer ones below /usr.
mkdir -p /usr/sbin /usr/lib
for link in sbin lib; do [ -e /$link ] || ln -s usr/$link /$link; done
for package in $TOOLS; do
    quiet dpkg-deb -x /packages/${package}_*.deb / || fail "the package $package cannot be unpacked"
done
if [ -n "$DEVICE" ]; then
    echo 1 >/sys/bus/ccw/devices/$DEVICE/online || fail "the disk $DEVICE does not come online"
    await /dev/dasda "the disk $DEVICE has no block device"
    disk=/dev/dasda part=/dev/dasda1
    if ! grep -q ECKD /sys/bus/ccw/devices/$DEVICE/discipline 2>/dev/null; then
        :
    elif [ "$FORMAT" = yes ]; then
        quiet /sbin/dasdfmt -y -b 4096 -d cdl -l "$LABEL" $disk || fail "the disk cannot be formatted"
    fi
    quiet /sbin/fdasd -a -s $disk || fail "the disk cannot be partitioned"
    await $part "the disk has no partition"
else
    disk=$DISK part=$DISK
fi
quiet /sbin/mke2fs -q -F -t ext4 -L root $part || fail "no file system can be made on $part"
mkdir -p /mnt
# Nothing of it counts before all of it is there: it need not be safe against the end of this guest.
quiet mount -t ext4 -o noatime,barrier=0,data=writeback,commit=300 $part /mnt || fail "the file system on $part cannot be mounted"

say "Unpacking the base system"
cd /mnt
mkdir -p usr/bin usr/sbin usr/lib var/lib/dpkg/info var/lib/dpkg/updates var/cache/apt/archives etc root
# Newer releases' base-files has the links, and busybox does not put them where there are some.
if dpkg-deb -c /packages/base-files_*.deb | grep -q '\./bin -> usr/bin'; then
    quiet dpkg-deb -x /packages/base-files_*.deb /mnt || fail "the package base-files cannot be unpacked"
    BASE_LEFT=$(echo " $BASE " | sed 's/ base-files / /')
else
    for link in bin sbin lib; do ln -s usr/$link $link; done
    BASE_LEFT=$BASE
fi
for package in $BASE_LEFT; do
    quiet dpkg-deb -x /packages/${package}_*.deb /mnt || fail "the package $package cannot be unpacked"
done
touch var/lib/dpkg/status var/lib/dpkg/available
mkdir -p proc sys dev run packages
mount -t proc proc proc
mount -t sysfs sys sys
mount -o bind /dev dev
mount -t tmpfs tmpfs run
mkdir -p dev/pts
mount -t devpts devpts dev/pts
mount -o bind /packages packages
printf '%s\n' "$HOSTNAME" >etc/hostname
printf '127.0.0.1\tlocalhost\n127.0.1.1\t%s\n::1\tlocalhost ip6-localhost ip6-loopback\n' "$HOSTNAME" >etc/hosts
[ -f etc/passwd ] || printf 'root:x:0:0:root:/root:/bin/sh\n' >etc/passwd
[ -f etc/group ] || printf 'root:x:0:\nmail:x:8:\nutmp:x:43:\n' >etc/group
[ -e usr/bin/awk ] || ln -s mawk usr/bin/awk
printf '#!/bin/sh\nexit 101\n' >usr/sbin/policy-rc.d
chmod 755 usr/sbin/policy-rc.d
# By way of env, lest busybox take dpkg for its own.
# The kernel's package makes no initial RAM disk (INITRD): it is made once, when all is there.
in_target() { quiet chroot /mnt /usr/bin/env INITRD=No "$@"; }
# Names of packages become names of their files.
files() { for package in "$@"; do echo packages/${package}_*.deb; done; }

while sleep 2; do
    count=$(grep -c -E '^(Unpacking|Setting up) ' /log)
    [ "$count" = "$told" ] || echo "PACKAGES $count"
    told=$count
done &
counter=$!

say "Installing the essential packages"
for package in base-passwd base-files dpkg libc6 perl-base debconf; do
    in_target dpkg --force-unsafe-io --force-depends --install $(files $package) || fail "the package $package cannot be installed"
done
in_target dpkg --force-unsafe-io --force-depends --unpack $(files $BASE) || fail "the essential packages cannot be unpacked"
in_target dpkg --force-unsafe-io --configure --pending --force-configure-any --force-depends || fail "the essential packages cannot be configured"

say "Unpacking the other packages"
mkdir -p etc/initramfs-tools/conf.d
# Disks as there are here and at other machines of this kind; with all drivers it would take long to make and to load.
printf 'MODULES=list\nCOMPRESS=gzip\nCOMPRESSLEVEL=1\n' >etc/initramfs-tools/conf.d/endicott
mkdir -p usr/share/initramfs-tools/modules.d
printf '%s\n' ext4 dasd_diag_mod dasd_eckd_mod dasd_fba_mod virtio_blk zfcp sd_mod >usr/share/initramfs-tools/modules.d/endicott
if [ -n "$DEVICE" ]; then
    uuid=$(chroot /mnt /sbin/blkid -s UUID -o value $part)
    [ -n "$uuid" ] || fail "the file system on $part has no UUID"
    printf 'UUID=%s / ext4 errors=remount-ro 0 1\n' "$uuid" >etc/fstab
    cat >etc/zipl.conf <<EOF
[defaultboot]
default = debian

[debian]
target = /boot
image = /boot/vmlinuz
ramdisk = /boot/initrd.img
parameters = "root=UUID=$uuid $APPEND"
EOF
    mkdir -p boot etc/kernel-img.d
    printf 'do_symlinks = yes\nimage_dest = /boot\n' >etc/kernel-img.conf
fi
in_target dpkg --force-unsafe-io --force-depends --unpack $(files $REST) || fail "the packages cannot be unpacked"
# The host's keys are made when the system first starts, so that two copies of the disk have the same ones only if it
# had started before. The package makes those that are not there.
for kind in rsa ecdsa ed25519; do : >etc/ssh/ssh_host_${kind}_key; done

say "Configuring the packages"
in_target dpkg --force-unsafe-io --configure --pending || in_target dpkg --force-unsafe-io --configure --pending || fail "the packages cannot be configured"

kill $counter
say "Setting up the system"
printf '%s\n' "$SOURCES" >etc/apt/sources.list
[ ! -d etc/network ] || [ -f etc/network/interfaces ] || printf 'auto lo\niface lo inet loopback\n' >etc/network/interfaces
# Cards of Ethernet ask for an address by themselves. Names go to the servers that come with it.
mkdir -p etc/systemd/network
cat >etc/systemd/network/80-dhcp.network <<'EOF'
[Match]
Name=en* eth*

[Network]
DHCP=ipv4
IPv6AcceptRA=yes
LLMNR=no
EOF
in_target systemctl enable systemd-networkd.service systemd-resolved.service || fail "the network cannot be enabled"
ln -sf ../run/systemd/resolve/stub-resolv.conf etc/resolv.conf
# Everything else would wait until it is ready, and nothing here needs names so early.
mkdir -p etc/systemd/system/systemd-resolved.service.d
printf '[Service]\nType=simple\n' >etc/systemd/system/systemd-resolved.service.d/endicott.conf
rm -f etc/ssh/ssh_host_*
cat >etc/systemd/system/ssh-host-key.service <<'EOF'
[Unit]
Description=The key by which ssh knows this system
ConditionFileNotEmpty=!/etc/ssh/ssh_host_ed25519_key
Before=ssh.service

[Service]
Type=oneshot
ExecStartPre=-/bin/rm -f /etc/ssh/ssh_host_ed25519_key
ExecStart=/usr/bin/ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key

[Install]
WantedBy=multi-user.target
EOF
in_target systemctl enable ssh.service ssh-host-key.service || fail "sshd cannot be enabled"
[ -f etc/default/locale ] || printf 'LANG=C.UTF-8\n' >etc/default/locale
echo "root:$PASSWORD" | chroot /mnt /usr/sbin/chpasswd || fail "the password cannot be set"
if [ -n "$USERNAME" ]; then
    in_target useradd -m -s /bin/bash "$USERNAME" || fail "the user $USERNAME cannot be added"
    echo "$USERNAME:$PASSWORD" | chroot /mnt /usr/sbin/chpasswd
fi
if [ -f /authorized_keys ]; then
    for home in root ${USERNAME:+home/$USERNAME}; do
        mkdir -p $home/.ssh
        cp /authorized_keys $home/.ssh/authorized_keys
        chmod 700 $home/.ssh
        chmod 600 $home/.ssh/authorized_keys
        [ $home = root ] || chroot /mnt /bin/chown -R "$USERNAME:$USERNAME" /$home/.ssh
    done
fi
if [ -f /first-boot ]; then
    cp /first-boot usr/local/sbin/first-boot
    chmod 755 usr/local/sbin/first-boot
    cat >etc/systemd/system/first-boot.service <<'EOF'
[Unit]
Description=What is to be done once, when the system starts for the first time
ConditionPathExists=/usr/local/sbin/first-boot
After=network.target systemd-networkd.service

[Service]
Type=oneshot
# With a card there is to be an address, too; without one there is nothing to wait for.
ExecStartPre=-/bin/sh -c 'for card in /sys/class/net/e*; do [ ! -e $$card ] || exec /lib/systemd/systemd-networkd-wait-online --any --timeout=30; done'
ExecStart=/usr/local/sbin/first-boot
ExecStartPost=/bin/mv /usr/local/sbin/first-boot /usr/local/sbin/first-boot.done

[Install]
WantedBy=multi-user.target
EOF
    in_target systemctl enable first-boot.service || fail "the first-boot script cannot be enabled"
fi
if [ -d etc/cloud/cloud.cfg.d ]; then
    # What it is to do is on this disk, which the RAM disk brings online, and without it there is nothing to start it
    # for: that takes long. Of two sources it looks whether one is there. Networks, packages' sources, keys of the host,
    # the language and root's own keys are as they are here.
    cat >etc/cloud/cloud.cfg.d/90-endicott.cfg <<'EOF'
datasource_list: [NoCloud, ConfigDrive]
network: {config: disabled}
apt: {preserve_sources_list: true}
disable_root: false
ssh_deletekeys: false
ssh_genkeytypes: [ed25519]
locale: false
EOF
    echo 'policy: search,found=first,maybe=none,notfound=disabled' >etc/cloud/ds-identify.cfg
    in_target chzdev dasd-fba 0.0.02ff --enable --persistent --yes --force --no-root-update || fail "the disk for cloud-init cannot be configured"
fi
rm -f usr/sbin/policy-rc.d

say "Making the initial RAM disk"
if [ -n "$DEVICE" ]; then
    # The rule that brings the disk online goes into the RAM disk with the others.
    in_target chzdev --enable --persistent --yes --force --no-root-update $DEVICE
    ls etc/udev/rules.d/*$DEVICE.rules >/dev/null 2>&1 || fail "the disk $DEVICE is not configured to come online"
fi
kernel=$(ls boot | sed -n 's/^vmlinuz-//p' | tail -n 1)
[ -n "$kernel" ] || fail "no kernel was installed"
[ -e boot/vmlinuz ] || ln -s vmlinuz-$kernel boot/vmlinuz
# The link is there first: zipl, which update-initramfs starts when it has made the RAM disk, looks for it.
[ -e boot/initrd.img ] || ln -s initrd.img-$kernel boot/initrd.img
in_target update-initramfs -c -k "$kernel" || in_target update-initramfs -u -k "$kernel" || fail "there is no initial RAM disk"

say "Making the disk bootable"
if [ -n "$DEVICE" ]; then
    in_target zipl -V || fail "zipl does not make the disk bootable"
fi

say "Closing the disk"
cd /
umount /mnt/packages /mnt/run /mnt/dev/pts /mnt/dev /mnt/sys /mnt/proc
umount /mnt || fail "the disk is still in use"
sync
[ -z "$DEVICE" ] || echo 0 >/sys/bus/ccw/devices/$DEVICE/online
echo INSTALLED
poweroff -f
sleep 60
